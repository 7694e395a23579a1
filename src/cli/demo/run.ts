// The demo from beginning to end: a real server on a temporary store, three scenes, and the books.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api } from '../api.ts';
import { type DemoCsv, writeDemoCsv } from '../demo-csv.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import type { SystemView } from '../wire.ts';
import { burstScene } from './burst.ts';
import { importsScene } from './imports.ts';
import { Ledger } from './ledger.ts';
import { oddsScene } from './odds.ts';
import { type DemoServer, startServerProcess } from './server-process.ts';
import { inLanes, look, pause, type Stage } from './stage.ts';
import { bookLines, claims, storyLines, verdictLine } from './story.ts';
import { type SumLine, sumLines } from './sums.ts';

export interface DemoParts {
  readonly terminal: Terminal;
  /** Ends the demo early; everything is cleaned up all the same. */
  readonly signal: AbortSignal;
  /** Default: the same command in a process of its own. */
  readonly startServer?: (folder: string, args: readonly string[]) => Promise<DemoServer>;
  readonly sizes?: DemoSizes;
}

interface DemoSizes {
  readonly imports: number;
  readonly rows: number;
  readonly callers: number;
  readonly limit: number;
}

const SIZES: DemoSizes = { imports: 20, rows: 150_000, callers: 60, limit: 20 };
/** A demo that takes longer has met something that it should not hide by waiting on. */
const LONGEST_MS = 180_000;
const GAUGE_MS = 300;

/** Resolves with the sums when all scenes were played, whether they hold or not. */
export async function runDemo(parts: DemoParts): Promise<readonly SumLine[]> {
  const { terminal, startServer = startServerProcess, sizes = SIZES } = parts;
  const folder = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  let server: DemoServer | null = null;
  try {
    terminal.out('A CSV file is made, and a server with a worker starts on a temporary sqlite store.');
    const file = join(folder, 'orders.csv');
    const csv = await writeDemoCsv(file, { rows: sizes.rows });
    server = await startServer(folder, serverArguments(folder));
    const tooLong = AbortSignal.timeout(LONGEST_MS);
    const signal = AbortSignal.any([parts.signal, tooLong]);
    terminal.out(
      `Server: ${server.url}, process ${server.pid}. Look on with: sluice queue list --url ${server.url}`,
    );
    const played = play({ terminal, signal, url: server.url, sizes, csv, file });
    return await Promise.race([played, server.ended, aborted(signal, tooLong)]);
  } finally {
    terminal.status(null);
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Play {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly url: string;
  readonly sizes: DemoSizes;
  readonly csv: DemoCsv;
  readonly file: string;
}

async function play({ terminal, signal, url, sizes, csv, file }: Play): Promise<readonly SumLine[]> {
  const api = new Api(url, signal);
  const stage: Stage = { api, ledger: new Ledger(), terminal, signal };
  const started = performance.now();
  terminal.out(`1. ${sizes.imports} CSV imports of three priorities and three tenants.`);
  const imports = await importsScene(stage, { file, csv, count: sizes.imports });
  terminal.out(`2. A burst of ${sizes.callers} callers over a depth limit of ${sizes.limit}.`);
  terminal.out('3. A delayed task, a flaky one, a late one and a hopeless one.');
  const [burst, odds] = await Promise.all([burstScene(stage, sizes), oddsScene(stage)]);
  terminal.status(null);
  await inLanes(stage.ledger.receipts, 8, async (receipt) => {
    receipt.status = (await look(stage, receipt)).status;
  });
  // Its sum over all queues may be as old as that.
  await pause(stage, GAUGE_MS);
  const { body: system } = await api.get<SystemView>('/queue');
  const lines = sumLines(stage.ledger, system);
  lines.push(...claims({ csv, imports, burst, odds }));
  terminal.out('');
  for (const line of storyLines({ csv, imports, burst, odds })) terminal.out(line);
  terminal.out('');
  for (const line of bookLines(stage.ledger, system)) terminal.out(line);
  for (const line of lines) if (!line.holds) terminal.out(`BROKEN: ${line.text}`);
  terminal.out(`${verdictLine(lines)} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  return lines;
}

function serverArguments(folder: string): string[] {
  return [
    ...['--worker', '--queue', 'imports', 'burst', 'odds', 'jammed'],
    ...['--port', '0', '--store', `sqlite:${join(folder, 'sluice.db')}`, '--files', join(folder, 'files')],
    ...['--heartbeat-ms', '250', '--log-level', 'warn', '--log-format', 'json'],
  ];
}

function aborted(signal: AbortSignal, tooLong: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () =>
      reject(
        new CliError(
          EXIT.failed,
          tooLong.aborted ? `the demo took over ${LONGEST_MS / 1000} s; stopped` : 'the demo was interrupted',
        ),
      );
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
