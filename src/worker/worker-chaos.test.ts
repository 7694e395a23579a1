// A worker whose store fails at random, before or after it acted, with handlers of every kind: nothing is lost, nothing
// ends twice, and two runs of a task overlap only after a lease was lost.
import { expect, it } from 'vitest';
import { SEED } from '../../test/seed.ts';
import { FakeEnv } from '../../test/support/fake-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import { random as randomOf } from '../conformance/model/random.ts';
import { decide } from '../core/lifecycle.ts';
import { isFinal } from '../core/task.ts';
import { EngineError } from '../engine/errors.ts';
import type { Engine } from '../engine/port.ts';
import type { WorkSource } from '../engine/slices.ts';
import { memoryEngine } from '../engines/memory/index.ts';
import { defer, type Handler, PermanentError } from './handler.ts';
import { Worker } from './worker.ts';

const TASKS = 60;
const HISTORIES = 15;
const RESOLUTION = 2 ** 30;
const TYPES = ['quick', 'slow', 'throws', 'rejects', 'permanent', 'defers', 'hangs', 'unknown', 'ignores'];

it(`keeps every task through ${HISTORIES} histories of failures`, async () => {
  for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) await history(seed);
});

async function history(seed: number): Promise<void> {
  const dice = randomOf(seed);
  const random = () => dice.int(RESOLUTION) / RESOLUTION;
  const env = new FakeEnv();
  env.random = random;
  const engine = memoryEngine();
  await engine.open();
  const call = () => ({ at: env.now(), principal: 'anonymous' });
  const trouble = { share: 0.2 };
  const running = new Set<string>();
  const overlaps: string[] = [];
  const handlers = handlersOf(env, random, (id, on) => {
    if (on && running.has(id)) overlaps.push(id);
    if (on) running.add(id);
    else running.delete(id);
  });
  const worker = new Worker({
    source: troubled(engine, random, trouble),
    tasks: handlers,
    env,
    concurrency: 5,
    prefetch: 3,
  });
  const ids: string[] = [];
  for (let i = 0; i < TASKS; i += 1) {
    const type = dice.pick(TYPES);
    const ttlMs = dice.chance(0.2) ? 20_000 : null;
    const [result] = await engine.submit(
      [newTask(env.now(), { type, ttlMs, maxAttempts: 3, timeoutMs: 5_000 })],
      call(),
    );
    if (result?.outcome === 'created') ids.push(result.id);
  }
  await worker.start();
  for (let step = 0; step < 400; step += 1) {
    await env.advance(1_000);
    if (step === 100) trouble.share = 0;
    if (dice.chance(0.05)) await engine.cancel([dice.pick(ids)], call());
    await maintain(engine, env);
  }
  const drained = worker.drain(10_000);
  await env.advance(20_000);
  await drained;
  const tasks = await engine.get(ids, call());
  const open = tasks.filter((task) => task === null || !isFinal(task.status));
  const unknown = open.filter((task) => task?.type === 'unknown');
  expect({ seed, open: open.length - unknown.length }).toEqual({ seed, open: 0 });
  const [load] = await engine.load(['default'], call());
  const totals = load?.totals;
  const finals =
    totals && totals.succeeded + totals.failed + totals.dead_lettered + totals.cancelled + totals.expired;
  expect({ seed, finals }).toEqual({ seed, finals: TASKS - unknown.length });
  const lossless = overlaps.filter((id) => (tasks.find((task) => task?.id === id)?.leaseLosses ?? 0) === 0);
  expect({ seed, lossless }).toEqual({ seed, lossless: [] });
}

function handlersOf(env: FakeEnv, random: () => number, note: (id: string, on: boolean) => void) {
  const later = (ms: number) => new Promise<void>((resolve) => env.timers.after(ms, resolve));
  const noted =
    (handler: Handler): Handler =>
    async (payload, ctx) => {
      note(ctx.task.id, true);
      try {
        return await handler(payload, ctx);
      } finally {
        note(ctx.task.id, false);
      }
    };
  return new Map<string, Handler>([
    ['quick', () => 1],
    [
      'slow',
      noted(async (_, ctx) => {
        ctx.progress(50);
        await later(random() * 4_000);
        return 'slow';
      }),
    ],
    [
      'throws',
      () => {
        throw new Error('thrown');
      },
    ],
    [
      'rejects',
      noted(async () => {
        await later(10);
        throw new Error('rejected');
      }),
    ],
    [
      'permanent',
      () => {
        throw new PermanentError('no');
      },
    ],
    ['defers', noted(async () => (random() < 0.5 ? defer(500) : 'done'))],
    [
      'hangs',
      (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
    ],
    ['ignores', () => new Promise(() => undefined)],
  ]);
}

/** Fails a share of the calls: half of them before the store acted, half after. */
function troubled(engine: Engine, random: () => number, trouble: { share: number }): WorkSource {
  const risky = async <T>(run: () => Promise<T>): Promise<T> => {
    if (random() >= trouble.share) return await run();
    if (random() < 0.5) throw new EngineError('STORE_UNAVAILABLE', 'before');
    await run();
    throw new EngineError('STORE_UNAVAILABLE', 'after', { outcome: 'unknown' });
  };
  return {
    name: engine.name,
    reserve: (want, call) => risky(() => engine.reserve(want, call)),
    extend: (batch, call) => risky(() => engine.extend(batch, call)),
    settle: (batch, call) => risky(() => engine.settle(batch, call)),
    watch: (queues, wake) => engine.watch(queues, wake),
    workers: { beat: (beat, call) => risky(() => engine.workers.beat(beat, call)) },
  };
}

async function maintain(engine: Engine, env: FakeEnv): Promise<void> {
  const call = { at: env.now(), principal: 'system' };
  await engine.promote(100, call);
  await engine.expire(100, call);
  const want = { reaperId: 'reaper', max: 100, leaseMs: 5_000, nonce: env.nonce() };
  const { leases } = await engine.reap(want, call);
  const settlements = leases.map(({ task, token, policy, lostBy, startedAt }) => {
    const settled = decide({ task, policy, at: env.now(), random: 0.5 }, { kind: 'lease_lost' });
    return { id: task.id, token, workerId: lostBy, startedAt, settled };
  });
  await engine.settle(settlements, call);
}
