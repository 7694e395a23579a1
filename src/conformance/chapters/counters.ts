// Counters equal a recount at every moment, through everything that can happen to a task.
import assert from 'node:assert/strict';
import { homeOf } from '../../core/id.ts';
import { FINAL_STATUSES, TASK_STATUSES, type Task } from '../../core/task.ts';
import { chapter } from '../frame.ts';
import { type Lab, pages } from '../lab.ts';

/** Counts by listing, and compares with `load`. */
async function assertRecount(lab: Lab, queue: string): Promise<void> {
  const [load] = await lab.engine.load([queue], lab.call);
  const tasks = await pages((cursor) => lab.engine.list({ queue, limit: 50, cursor }, lab.call));
  if (!load) {
    assert.deepEqual(tasks, []);
    return;
  }
  const of = (status: Task['status']) => tasks.filter((task) => task.status === status);
  const unfinished = [...of('queued'), ...of('running'), ...of('scheduled'), ...of('retrying')];
  const queued = of('queued');
  const counted = {
    queued: queued.length,
    running: of('running').length,
    scheduled: of('scheduled').length,
    retrying: of('retrying').length,
    deadLettered: tasks.filter(({ inDlq }) => inDlq).length,
    bytes: unfinished.reduce((sum, { bytes }) => sum + bytes, 0),
    byPriority: load.byPriority.map((_, p) => queued.filter(({ priority }) => priority === p).length),
  };
  const { totals, settings: _settings, overrides: _overrides, ...figures } = load;
  assert.deepEqual({ ...figures, ...counted }, figures);
  // I2: what came in is what is there and what has ended.
  const ends = FINAL_STATUSES.reduce((sum, status) => sum + totals[status], 0);
  assert.equal(totals.accepted + totals.redriven, unfinished.length + ends);
  for (const status of TASK_STATUSES) {
    const page = await pages((cursor) => lab.engine.list({ queue, status, limit: 50, cursor }, lab.call));
    assert.deepEqual(
      page.map(({ id }) => id),
      of(status).map(({ id }) => id),
      `listed as ${status}`,
    );
  }
}

/** A long walk through every call, on two queues, with small limits so that everything happens. */
async function walk(lab: Lab, step: number): Promise<void> {
  const queue = step % 3 === 0 ? 'a' : 'b';
  const queues = [{ name: queue, weight: 1 }];
  const spec = { queue, priority: step % 10, tenant: `t${step % 4}`, payload: `"${'x'.repeat(step % 7)}"` };
  await lab.submit(spec, { ...spec, ttlMs: 400 }, { ...spec, runAt: lab.at + 150 });
  const leases = await lab.reserve({ queues, max: 3, leaseMs: 300 });
  const [a, b, c] = leases;
  if (a && step % 4 === 0) await lab.succeed(a, '1');
  if (a && step % 4 === 1) await lab.fail(a, { retryDelayMs: 200 });
  if (a && step % 4 === 2) await lab.fail(a, { retryable: false });
  if (b && step % 3 === 0) await lab.end(b, { kind: 'release' });
  if (b && step % 3 === 1) await lab.end(b, { kind: 'defer', delayMs: 100 });
  if (c && step % 5 === 0) await lab.engine.cancel([c.task.id], lab.call);
  lab.advance(100);
  await lab.promote(3);
  await lab.expire(2);
  if (step % 2 === 0) await lab.reapAll();
  if (step % 6 === 5) {
    const { items } = await lab.engine.listDead({ limit: 3, cursor: null }, lab.call);
    await lab.engine.redrive({ ids: items.map(({ id }) => id) }, lab.call);
  }
  if (step % 9 === 8) await lab.engine.purge(queue, lab.call);
  if (step % 7 === 6) await lab.prune(2);
}

export const counters = chapter('counters', (test) => {
  test('after every step of a long walk', { maxDepth: 14, maxScheduled: 8, dlqMax: 4 }, async (lab) => {
    for (let step = 0; step < 60; step += 1) {
      await walk(lab, step);
      await assertRecount(lab, 'a');
      await assertRecount(lab, 'b');
    }
    const [a, b] = [await lab.load('a'), await lab.load('b')];
    for (const status of ['succeeded', 'dead_lettered', 'cancelled', 'redriven'] as const) {
      assert.ok(a.totals[status] + b.totals[status] > 0, `the walk had no ${status}`);
    }
    assert.ok(a.dlqDropped + b.dlqDropped > 0, 'the walk had no overflow');
  });

  test('all ends by then: accepted + redriven = the sum of the ends', { maxDepth: 50 }, async (lab) => {
    for (let step = 0; step < 20; step += 1) await walk(lab, step);
    lab.advance(10_000);
    for (let round = 0; round < 200; round += 1) {
      await lab.promote();
      await lab.expire();
      await lab.reapAll();
      const leases = await lab.reserve({
        max: 50,
        queues: [
          { name: 'a', weight: 1 },
          { name: 'b', weight: 1 },
        ],
      });
      for (const lease of leases) await lab.succeed(lease);
      lab.advance(1_000);
    }
    for (const name of ['a', 'b']) {
      const { totals, queued, running, scheduled, retrying, bytes } = await lab.load(name);
      assert.deepEqual([queued, running, scheduled, retrying, bytes], [0, 0, 0, 0, 0]);
      const ends = FINAL_STATUSES.reduce((sum, status) => sum + totals[status], 0);
      assert.equal(totals.accepted + totals.redriven, ends);
    }
  });

  test('the load tells the queue’s number, as in its ids', {}, async (lab) => {
    for (const queue of ['a', 'b', 'c']) {
      const id = await lab.add({ queue });
      assert.equal((await lab.load(queue)).number, homeOf(id).queueNumber);
    }
  });

  test('a new queue starts at nought', {}, async (lab) => {
    await lab.configure({});
    const load = await lab.load();
    assert.deepEqual(load.totals, {
      accepted: 0,
      redriven: 0,
      succeeded: 0,
      failed: 0,
      dead_lettered: 0,
      cancelled: 0,
      expired: 0,
    });
    assert.deepEqual([load.queued, load.running, load.scheduled, load.retrying], [0, 0, 0, 0]);
    assert.deepEqual([load.deadLettered, load.dlqDropped, load.bytes, load.epoch], [0, 0, 0, 0]);
    assert.deepEqual([load.oldestAvailableAt, load.paused, load.settingsVersion], [null, null, 1]);
    assert.deepEqual(
      load.byPriority,
      Array.from({ length: 10 }, () => 0),
    );
  });
});
