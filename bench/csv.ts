// csv-import on one slot beside the bare script: rows a second, interleaved in one run, medians and their ratio.
// `node --import ./scripts/register-ts.mjs bench/csv.ts [--json] [--rows N] [--rounds N] [--seed N]`
import { deepStrictEqual } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DemoCsv, writeDemoCsv } from '../src/cli/demo-csv.ts';
import { builtinHandlers } from '../src/worker/builtin/handlers.ts';
import type { Handler, HandlerContext } from '../src/worker/handler.ts';
import { bareImport } from './csv-bare.ts';

const FLOOR = 0.8;

interface Round {
  readonly bareMs: number;
  readonly importMs: number;
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '150000' },
    rounds: { type: 'string', default: '9' },
    seed: { type: 'string', default: '1' },
  },
});
const [rows, rounds, seed] = [Number(values.rows), Number(values.rounds), Number(values.seed)];

const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
const builtin = builtinHandlers(1);
try {
  const path = join(folder, 'bench.csv');
  const file = await writeDemoCsv(path, { rows, seed });
  const importFile = imports(builtin.handlers.get('csv-import'), path, file);
  deepStrictEqual(withoutHash(await bareImport(path)), await importFile());
  await measure(path, importFile);
  const measured: Round[] = [];
  for (let i = 0; i < rounds; i++) measured.push(await measure(path, importFile));
  await print(file, measured);
} finally {
  await builtin.close();
  await rm(folder, { recursive: true, force: true });
}

function imports(handler: Handler | undefined, path: string, file: DemoCsv): () => Promise<unknown> {
  if (handler === undefined) throw new Error('no csv-import handler');
  const { bytes, sha256 } = file;
  const ctx: HandlerContext = {
    signal: new AbortController().signal,
    attempt: 1,
    deliveries: 1,
    expiresAt: null,
    get task(): never {
      throw new Error('the bench has no task');
    },
    progress: () => {},
    input: () => ({ path, name: 'bench.csv', contentType: 'text/csv', bytes, sha256 }),
    log: () => {},
  };
  return async () => handler({}, ctx);
}

function withoutHash({ rows: count, columns }: Awaited<ReturnType<typeof bareImport>>) {
  return { rows: count, columns };
}

async function measure(path: string, importFile: () => Promise<unknown>): Promise<Round> {
  const bareMs = await timed(() => bareImport(path));
  const importMs = await timed(importFile);
  return { bareMs, importMs };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

async function print(file: DemoCsv, measured: readonly Round[]): Promise<void> {
  const perSecond = (ms: number): number => Math.round((file.rows / ms) * 1000);
  const bare = median(measured.map((round) => round.bareMs));
  const imported = median(measured.map((round) => round.importMs));
  const ratio = median(measured.map((round) => round.bareMs / round.importMs));
  const parser = JSON.parse(await readFile('node_modules/csv-parse/package.json', 'utf8')).version as string;
  const report = {
    bench: 'csv',
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, platform: process.platform },
    versions: { node: process.version, 'csv-parse': parser },
    seed,
    file: { rows: file.rows, bytes: file.bytes },
    rounds: measured.length,
    bare: { median_ms: Math.round(bare), rows_per_s: perSecond(bare) },
    csv_import: { median_ms: Math.round(imported), rows_per_s: perSecond(imported) },
    ratio: Number(ratio.toFixed(3)),
    floor: FLOOR,
    met: ratio >= FLOOR,
  };
  if (values.json) console.log(JSON.stringify(report));
  else {
    console.log(
      `${report.machine.cpu}, ${report.machine.cores} cores, Node ${report.versions.node}, seed ${seed}`,
    );
    console.log(`bare script  ${report.bare.rows_per_s} rows/s (median of ${rounds})`);
    console.log(`csv-import   ${report.csv_import.rows_per_s} rows/s on one slot: ${report.ratio} of it`);
  }
}
