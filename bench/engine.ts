// Submit, and reserve + settle, per engine at batches of 1, 32 and 100, beside the bare better-sqlite3 loop with the same
// row and durability: interleaved rounds, medians, ratios.
// `npm run bench -- engine [--json] [--rounds N] [--tasks N] [--seed N] [--durability full|relaxed]`
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_SETTINGS } from '../src/core/settings.ts';
import type { Engine } from '../src/engine/port.ts';
import { memoryEngine } from '../src/engines/memory/index.ts';
import { sqliteEngine } from '../src/engines/sqlite/index.ts';
import { BareStore } from './bare.ts';
import {
  headOf,
  interleaved,
  median,
  perSecond,
  rounded,
  type Subject,
  table,
  timed,
  withFolder,
} from './frame.ts';
import { fill, reserveAndSettle } from './loops.ts';
import { call, now, TaskMaker } from './tasks.ts';

const BATCHES = [1, 32, 100];
/** Callers at a time: one batch runs while the next is on its way, as a server's batcher and a worker's loops do it. */
const LOOPS = 2;
const WARM_UP = 4_000;
/** Of the bare loop, at batches of 100. */
const FLOOR = 0.4;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    tasks: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    durability: { type: 'string', default: 'full' },
  },
});
const [rounds, tasks, seed] = [Number(values.rounds), Number(values.tasks), Number(values.seed)];
const durability = values.durability === 'relaxed' ? 'relaxed' : 'full';
const defaults = { ...DEFAULT_SETTINGS, maxDepth: 10_000_000 };
const maker = new TaskMaker(seed);

await withFolder(async (folder) => {
  let files = 0;
  const newFile = () => {
    files += 1;
    return join(folder, `${files}.db`);
  };
  const engines = {
    memory: () => memoryEngine({ defaults }),
    sqlite: () => sqliteEngine({ file: newFile(), defaults, durability }),
  };
  const results = [];
  for (const batch of BATCHES) {
    const count = Math.min(tasks, batch === 1 ? tasks / 5 : tasks);
    for (const operation of ['submit', 'reserve + settle'] as const) {
      const subjects: Subject[] = [
        bare(newFile, operation, { batch, count }),
        ...Object.entries(engines).map(([name, make]) =>
          engineSubject(name, make, operation, { batch, count }),
        ),
      ];
      const all = await interleaved(subjects, rounds + 1);
      results.push(summary(operation, batch, all));
    }
  }
  print(results);
});

interface Size {
  readonly batch: number;
  readonly count: number;
}

function bare(newFile: () => string, operation: string, { batch, count }: Size): Subject {
  return {
    name: 'bare',
    run: async () => {
      const store = new BareStore(newFile(), durability, operation !== 'submit');
      const batches = Array.from({ length: count / batch }, () => maker.batch(batch));
      const insert = () => {
        for (const one of batches) store.insert(one, now());
      };
      if (operation !== 'submit') insert();
      const ms = await timed(() => {
        if (operation === 'submit') insert();
        else for (let left = count; left > 0; left -= batch) store.claimAndFinish(batch, now());
      });
      store.close();
      return { count, ms };
    },
  };
}

function engineSubject(name: string, make: () => Engine, operation: string, { batch, count }: Size): Subject {
  return {
    name,
    run: async () => {
      const engine = make();
      await engine.open();
      // A fresh engine has a fresh thread, whose code is cold; a server's is not.
      await fill(engine, maker, WARM_UP);
      await reserveAndSettle(engine, { count: WARM_UP, size: 100, loops: LOOPS });
      const batches = Array.from({ length: count / batch }, () => maker.batch(batch));
      if (operation !== 'submit') await fill(engine, maker, count);
      const ms = await timed(async () => {
        if (operation !== 'submit') await reserveAndSettle(engine, { count, size: batch, loops: LOOPS });
        else await Promise.all(Array.from({ length: LOOPS }, () => submitAll(engine, batches)));
      });
      await engine.close();
      return { count, ms };
    },
  };
}

async function submitAll(engine: Engine, batches: Parameters<Engine['submit']>[0][]): Promise<void> {
  for (;;) {
    const batch = batches.pop();
    if (batch === undefined) return;
    await engine.submit(batch, call());
  }
}

interface Row {
  readonly operation: string;
  readonly batch: number;
  readonly bare_per_s: number;
  readonly sqlite_per_s: number;
  readonly memory_per_s: number;
  /** Median over the rounds of bare time / sqlite time. */
  readonly ratio: number;
}

/** The first round warms up. */
function summary(operation: string, batch: number, all: ReadonlyMap<string, number[]>): Row {
  const of = (name: string) => (all.get(name) ?? []).slice(1);
  const sqlite = of('sqlite');
  const ratios = of('bare').map((us, i) => us / (sqlite[i] ?? Number.NaN));
  return {
    operation,
    batch,
    bare_per_s: perSecond(median(of('bare'))),
    sqlite_per_s: perSecond(median(sqlite)),
    memory_per_s: perSecond(median(of('memory'))),
    ratio: rounded(median(ratios)),
  };
}

function print(results: readonly Row[]): void {
  const judged = results.filter(({ batch }) => batch === 100);
  const met = judged.every(({ ratio }) => ratio >= FLOOR);
  const head = headOf('engine', seed, ['better-sqlite3']);
  const report = { ...head, durability, tasks, rounds, loops: LOOPS, results, floor: FLOOR, met };
  if (values.json) console.log(JSON.stringify(report));
  else {
    const rows = results.map((row) => [
      `${row.operation}, batches of ${row.batch}`,
      ...[row.bare_per_s, row.sqlite_per_s, row.ratio, row.memory_per_s],
    ]);
    console.log(
      `${JSON.stringify(head)}\n${durability}, ${tasks} tasks, medians of ${rounds} rounds, per second`,
    );
    console.log(table([['', 'bare', 'sqlite', 'sqlite / bare', 'memory'], ...rows]));
    console.log(`at batches of 100 the floor is ${FLOOR} of bare: ${met ? 'met' : 'NOT met'}`);
  }
}
