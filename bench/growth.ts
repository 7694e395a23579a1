// What a backlog costs: reserve + settle in batches of 100 with 1k, 100k and 1M tasks waiting, and the bytes that a waiting
// task takes on disk. Durable, through the public engine.
// `npm run bench -- growth [--json] [--depths 1000,100000,1000000] [--rounds N] [--seed N]`
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_SETTINGS } from '../src/core/settings.ts';
import type { Engine } from '../src/engine/port.ts';
import { sqliteEngine } from '../src/engines/sqlite/index.ts';
import { headOf, median, rounded, table, timed, withFolder } from './frame.ts';
import { fill, reserveAndSettle } from './loops.ts';
import { call, QUEUE, TaskMaker } from './tasks.ts';

/** Cost at the greatest depth over the cost at the least. */
const CEILING = 1.5;
const BATCH = 100;
const LOOPS = 2;
/** Taken at a time and put back after it, so that the depth stays what it is. */
const SAMPLE = 1_000;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    depths: { type: 'string', default: '1000,100000,1000000' },
    rounds: { type: 'string', default: '15' },
    seed: { type: 'string', default: '1' },
  },
});
const depths = values.depths.split(',').map(Number);
const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
const defaults = { ...DEFAULT_SETTINGS, maxDepth: 100_000_000 };
const maker = new TaskMaker(seed);

interface Grown {
  readonly depth: number;
  readonly engine: Engine;
  readonly bytesPerTask: number;
  readonly us: number[];
}

await withFolder(async (folder) => {
  const all: Grown[] = [];
  for (const depth of depths) all.push(await grow(join(folder, `${depth}.db`), depth));
  // Depths in turn, so that a noisy minute falls on all of them; the first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { engine, depth, us } of all) {
      const ms = await timed(() => reserveAndSettle(engine, { count: SAMPLE, size: BATCH, loops: LOOPS }));
      await fill(engine, maker, SAMPLE);
      const [load] = await engine.load([QUEUE], call());
      if (load?.queued !== depth) throw new Error(`${load?.queued} waiting, not ${depth}`);
      if (round > 0) us.push((ms * 1000) / SAMPLE);
    }
  }
  for (const { engine } of all) await engine.close();
  print(all);
});

async function grow(file: string, depth: number): Promise<Grown> {
  const filling = sqliteEngine({ file, defaults });
  await filling.open();
  await fill(filling, maker, depth);
  await filling.close();
  const bytes = ['', '-wal'].map((end) => (existsSync(file + end) ? statSync(file + end).size : 0));
  const engine = sqliteEngine({ file, defaults, integrityCheck: 'off' });
  await engine.open();
  return {
    depth,
    engine,
    bytesPerTask: Math.round(bytes.reduce((sum, size) => sum + size, 0) / depth),
    us: [],
  };
}

function print(all: readonly Grown[]): void {
  const results = all.map(({ depth, bytesPerTask, us }) => ({
    waiting: depth,
    reserve_settle_us: rounded(median(us), 1),
    bytes_per_task: bytesPerTask,
  }));
  const first = all[0]?.us ?? [];
  const ratio = rounded(median((all.at(-1)?.us ?? []).map((us, i) => us / (first[i] ?? Number.NaN))));
  const met = ratio <= CEILING;
  const head = headOf('growth', seed, ['better-sqlite3']);
  const report = { ...head, batch: BATCH, loops: LOOPS, rounds, results, ratio, ceiling: CEILING, met };
  if (values.json) console.log(JSON.stringify(report));
  else {
    const rows = results.map((row) => [row.waiting, row.reserve_settle_us, row.bytes_per_task]);
    console.log(`${JSON.stringify(head)}\nmedians of ${rounds} rounds of ${SAMPLE} tasks`);
    console.log(table([['waiting', 'reserve + settle, us', 'bytes per task'], ...rows]));
    console.log(`most / least: ${ratio} (at most ${CEILING}): ${met ? 'met' : 'NOT met'}`);
  }
}
