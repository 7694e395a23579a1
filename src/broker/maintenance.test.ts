// The passes together, through a started broker: time alone must bring everything where it belongs.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { brokerHouse } from '../../test/support/broker-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import type { Task } from '../core/task.ts';
import type { NewTask } from '../engine/messages.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import { withFaults } from '../engine/wrap-faults.ts';
import { Broker } from './broker.ts';

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-maintenance-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const store = { calls: [] as string[], down: false };
  const house = await brokerHouse({
    files: folder,
    wrap: (engine) =>
      withFaults(engine, {
        before: (operation) => {
          store.calls.push(operation);
          if (store.down) throw new Error('down');
        },
      }),
  });
  const broker = new Broker(house);
  await broker.start();
  undo.push(() => broker.stop());
  await house.time.advance(0);
  const call = () => ({ at: house.clock.now(), principal: ANONYMOUS });
  const put = async (given: Partial<NewTask> = {}) => {
    const [result] = await house.engine.submit([newTask(house.clock.now(), given)], call());
    if (result?.outcome !== 'created') throw new Error('not created');
    return result.id;
  };
  const take = () =>
    house.engine.reserve(
      {
        workerId: 'w',
        requestId: `r-${house.clock.now()}`,
        nonce: 'n',
        queues: [{ name: 'default', weight: 1 }],
        max: 10,
        leaseMs: 5_000,
      },
      call(),
    );
  const task = async (id: string): Promise<Task | null> => (await house.engine.get([id], call()))[0] ?? null;
  return { folder, house, broker, store, call, put, take, task };
}

it('a delayed task submitted here is promoted to the millisecond', async () => {
  const { house, broker, task } = await started();
  const ask = { principal: ANONYMOUS, headerKey: null, upload: null };
  const reply = await broker.submit({ type: 'work', delay_ms: 137 }, ask);
  if (reply.kind !== 'accepted') throw new Error('refused');
  await house.time.advance(136);
  expect((await task(reply.taskId))?.status).toBe('scheduled');
  await house.time.advance(1);
  expect((await task(reply.taskId))?.status).toBe('queued');
});

it('a delayed task of another server is found within the idle time', async () => {
  const { house, put, task } = await started();
  const id = await put({ runAt: house.clock.now() + 10 });
  await house.time.advance(1_000);
  expect((await task(id))?.status).toBe('queued');
});

it('a retry settled here comes back in time', async () => {
  const { house, broker, put, take, task } = await started();
  const id = await put();
  const { leases } = await take();
  const at = house.clock.now();
  const error = { name: 'E', message: 'm', retryable: true };
  const decision = { to: 'retrying' as const, availableAt: at + 77, error };
  await broker.workSource.settle(
    leases.map(({ task: { id: leased }, token }) => ({
      id: leased,
      token,
      workerId: 'w',
      startedAt: at,
      settled: { decision, outcome: 'failed' as const, retryDelayMs: 77 },
    })),
    { at, principal: ANONYMOUS },
  );
  await house.time.advance(76);
  expect((await task(id))?.status).toBe('retrying');
  await house.time.advance(1);
  expect((await task(id))?.status).toBe('queued');
});

it('many more than a batch are promoted at once', async () => {
  const { house, call } = await started();
  const runAt = house.clock.now() + 500;
  await house.engine.submit(
    Array.from({ length: 95 }, () => newTask(house.clock.now(), { runAt })),
    call(),
  );
  await house.time.advance(1_000);
  const [load] = await house.engine.load(['default'], call());
  expect(load).toMatchObject({ queued: 95, scheduled: 0 });
});

it('a lost lease sends the task back, and the third loss ends it', async () => {
  const { house, broker, put, take, task } = await started();
  const id = await put();
  for (const losses of [1, 2]) {
    expect((await take()).leases).toHaveLength(1);
    await house.time.advance(6_000);
    expect(await task(id)).toMatchObject({ status: 'queued', leaseLosses: losses });
  }
  await take();
  await house.time.advance(6_000);
  expect(await task(id)).toMatchObject({
    status: 'dead_lettered',
    deadLetter: { reason: 'lease_lost' },
  });
  expect(broker.gauges.completionPerS()).toBeGreaterThan(0);
});

it('what waits too long expires, and what is long over is forgotten with its file', async () => {
  const { folder, house, put, task } = await started();
  const expiring = await put({ ttlMs: 2_000 });
  await house.time.advance(3_000);
  expect((await task(expiring))?.status).toBe('dead_lettered');

  const uploads = new Broker({ ...house, files: folder }).uploads;
  const id = newTask(house.clock.now()).id;
  const body = (async function* () {
    yield Buffer.from('x');
  })();
  const upload = await uploads?.receive(body, { id, queue: 'default', name: 'n', contentType: 't' });
  const cancelled = await put({ id, input: upload?.file ?? null });
  const at = house.clock.now();
  await house.engine.cancel([cancelled], { at, principal: ANONYMOUS });
  const path = join(folder, upload?.file.path ?? '');
  expect(existsSync(path)).toBe(true);
  await house.engine.configure(
    { queue: 'default', patch: { taskRetentionS: 60 } },
    { at, principal: ANONYMOUS },
  );
  await house.time.advance(70_000);
  expect(await task(cancelled)).toBeNull();
  await expect.poll(() => existsSync(path)).toBe(false);
});

it('a store that fails for a while is looked after again', async () => {
  const { house, store, put, task } = await started();
  const id = await put({ ttlMs: 1_000 });
  store.down = true;
  await house.time.advance(120_000);
  const failures = house.time.lines.filter(({ message }) => message === 'a maintenance pass failed');
  // Backing off: far fewer than one per idle time and pass.
  expect(failures.length).toBeGreaterThan(10);
  expect(failures.length).toBeLessThan(100);
  store.down = false;
  await house.time.advance(40_000);
  expect((await task(id))?.status).toBe('dead_lettered');
});

it('an idle store is left in peace', async () => {
  const { house, store } = await started();
  store.calls.length = 0;
  await house.time.advance(60_000);
  const count = (name: string) => store.calls.filter((call) => call === name).length;
  expect([count('promote'), count('expire'), count('reap')]).toEqual([60, 60, 60]);
  expect(count('prune')).toBe(12);
  expect(house.calibrations).toBe(2);
});

it('after its stop nothing runs, and the engine is open still', async () => {
  const { house, broker, store, put, task } = await started();
  await broker.stop();
  store.calls.length = 0;
  const id = await put({ ttlMs: 1 });
  await house.time.advance(100_000);
  expect(store.calls).toEqual(['submit']);
  expect((await task(id))?.status).toBe('queued');
  expect(house.time.timerCount).toBe(0);
});
