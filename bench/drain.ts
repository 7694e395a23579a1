// 100,000 no-op tasks drained in one process: the sqlite engine with the worker as it ships, beside plainjob over the same
// rows at the same `synchronous`, in turn. `--loop` leaves the worker out: reserve and settle alone.
// `npm run bench -- drain [--json] [--tasks N] [--peer-tasks N] [--rounds N] [--concurrency N] [--loop]
//   [--durability full|relaxed] [--seed N]`
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { better, defineQueue, defineWorker, JobStatus } from 'plainjob';
import { DEFAULT_SETTINGS } from '../src/core/settings.ts';
import type { Engine } from '../src/engine/port.ts';
import { sqliteEngine } from '../src/engines/sqlite/index.ts';
import { builtinHandlers } from '../src/worker/builtin/handlers.ts';
import { Worker } from '../src/worker/worker.ts';
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
import { call, QUEUE, TaskMaker } from './tasks.ts';

/** Of plainjob's rate. */
const FLOOR = 2;

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    tasks: { type: 'string', default: '100000' },
    'peer-tasks': { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    durability: { type: 'string', default: 'full' },
    loop: { type: 'boolean', default: false },
  },
});
const [tasks, rounds, seed] = [Number(values.tasks), Number(values.rounds), Number(values.seed)];
/** plainjob has all of them waiting too, but its rate is taken from the first ones: at `full` it would need a minute. */
const peerTasks = Math.min(tasks, Number(values['peer-tasks']));
const concurrency = Number(values.concurrency);
const durability = values.durability === 'relaxed' ? 'relaxed' : 'full';
const defaults = { ...DEFAULT_SETTINGS, maxDepth: 100_000_000 };

await withFolder(async (folder) => {
  let files = 0;
  const newFile = () => {
    files += 1;
    return join(folder, `${files}.db`);
  };
  const subjects: Subject[] = [
    { name: 'plainjob', run: () => drainPlainjob(newFile()) },
    { name: 'sluice', run: () => drainSluice(newFile()) },
  ];
  print(await interleaved(subjects, rounds));
});

async function drainSluice(file: string) {
  const engine = sqliteEngine({ file, defaults, durability });
  await engine.open();
  await fill(engine, new TaskMaker(seed), tasks);
  const ms = await timed(() =>
    values.loop ? reserveAndSettle(engine, { count: tasks, size: 100, loops: 2 }) : work(engine),
  );
  const [load] = await engine.load([QUEUE], call());
  if (load?.totals.succeeded !== tasks) throw new Error(`${load?.totals.succeeded} of ${tasks} succeeded`);
  await engine.close();
  return { count: tasks, ms };
}

/** Ends when the store has settled the last one. */
async function work(engine: Engine): Promise<void> {
  const builtin = builtinHandlers(1);
  const worker = new Worker({ source: engine, tasks: builtin.handlers, concurrency });
  await worker.start();
  for (;;) {
    const [load] = await engine.load([QUEUE], call());
    if (load?.queued === 0 && load.running === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await worker.drain(5_000);
  await builtin.close();
}

async function drainPlainjob(file: string) {
  const logger = { error: console.error, warn() {}, info() {}, debug() {} };
  const db = new Database(file);
  const queue = defineQueue({ connection: better(db), logger });
  db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
  const maker = new TaskMaker(seed);
  for (let done = 0; done < tasks; done += 1000) {
    const payloads = maker.batch(1000).map(({ payload }) => JSON.parse(payload) as unknown);
    queue.addMany('noop', payloads);
  }
  let left = peerTasks;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const ms = await timed(async () => {
    const onCompleted = () => {
      left -= 1;
      if (left === 0) finished();
    };
    const worker = defineWorker('noop', async ({ data }) => void JSON.parse(data), {
      queue,
      logger,
      onCompleted,
    });
    void worker.start();
    await all;
    await worker.stop();
  });
  if (queue.countJobs({ status: JobStatus.Done }) < peerTasks) throw new Error('plainjob has not done them');
  queue.close();
  return { count: peerTasks, ms };
}

function print(all: ReadonlyMap<string, number[]>): void {
  const [plainjob, sluice] = [all.get('plainjob') ?? [], all.get('sluice') ?? []];
  const ratio = rounded(median(plainjob.map((us, i) => us / (sluice[i] ?? Number.NaN))));
  const met = ratio >= FLOOR;
  const rates = { plainjob_per_s: perSecond(median(plainjob)), sluice_per_s: perSecond(median(sluice)) };
  const head = headOf('drain', seed, ['better-sqlite3', 'plainjob']);
  const how = values.loop ? 'reserve and settle alone' : `worker, concurrency ${concurrency}`;
  const report = { ...head, durability, tasks, peerTasks, rounds, how, ...rates, ratio, floor: FLOOR, met };
  if (values.json) console.log(JSON.stringify(report));
  else {
    console.log(
      `${JSON.stringify(head)}\n${durability}, ${tasks} tasks, ${how}, medians of ${rounds} rounds`,
    );
    console.log(table([['', 'tasks/s'], ...Object.entries(rates)]));
    console.log(`sluice / plainjob: ${ratio} (at least ${FLOOR}): ${met ? 'met' : 'NOT met'}`);
  }
}
