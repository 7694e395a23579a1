// csv-import on one slot of a worker over a durable sqlite store, submit to settled, beside the bare script: rows a
// second, interleaved in one run, medians and their ratio.
// `node --import ./scripts/register-ts.mjs bench/csv.ts [--json] [--rows N] [--rounds N] [--seed N]`
import { deepStrictEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DemoCsv, writeDemoCsv } from '../src/cli/demo-csv.ts';
import { bareImport } from './csv-bare.ts';
import { openSlot, type Slot } from './csv-slot.ts';

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
try {
  const path = join(folder, 'bench.csv');
  const file = await writeDemoCsv(path, { rows, seed });
  const { bytes, sha256 } = file;
  const slot = await openSlot(folder, { name: 'bench.csv', contentType: 'text/csv', bytes, sha256, path });
  try {
    print(file, await measured(path, slot));
  } finally {
    await slot.close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** The first round warms up, and shows that both sides come to the same. */
async function measured(path: string, slot: Slot): Promise<Round[]> {
  const { sha256, ...summary } = await bareImport(path);
  deepStrictEqual(await slot.importOnce(), summary, `not the same for the file ${sha256}`);
  const all: Round[] = [];
  for (let i = 0; i < rounds; i++) {
    const bareMs = await timed(() => bareImport(path));
    all.push({ bareMs, importMs: await timed(() => slot.importOnce()) });
  }
  return all;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

function print(file: DemoCsv, all: readonly Round[]): void {
  const perSecond = (ms: number): number => Math.round((file.rows / ms) * 1000);
  const bare = median(all.map((round) => round.bareMs));
  const imported = median(all.map((round) => round.importMs));
  const ratio = median(all.map((round) => round.bareMs / round.importMs));
  const versionOf = (name: string): string =>
    JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8'))
      .version;
  const report = {
    bench: 'csv',
    machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, platform: process.platform },
    versions: {
      node: process.version,
      'csv-parse': versionOf('csv-parse'),
      'better-sqlite3': versionOf('better-sqlite3'),
    },
    seed,
    file: { rows: file.rows, bytes: file.bytes },
    rounds: all.length,
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
