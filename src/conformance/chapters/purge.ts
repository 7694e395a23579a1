// Purge: everything that waits at this moment is gone for every reader at once, exactly counted; what runs goes on.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { eventually, pages, START } from '../lab.ts';

export const purge = chapter('purge', (test) => {
  test('what waits ends cancelled, with the exact count', {}, async (lab) => {
    const retrying = await lab.add();
    await lab.fail(await lab.take());
    const running = await lab.add();
    const lease = await lab.take();
    const queued = await lab.addMany(3, { payload: '"abc"' });
    const scheduled = await lab.add({ runAt: START + 60_000 });
    lab.advance(7);
    assert.deepEqual(await lab.engine.purge('q', lab.call), { purged: 5, epoch: 1 });
    for (const id of [retrying, scheduled, ...queued]) {
      const task = await lab.get(id);
      assert.deepEqual(
        [task.status, task.cancelReason, task.finishedAt, task.cancelRequested],
        ['cancelled', 'purged', START + 7, false],
      );
    }
    assert.equal(await lab.status(running), 'running');
    await lab.succeed(lease);
    const load = await lab.load();
    assert.deepEqual([load.queued, load.scheduled, load.retrying, load.running, load.bytes], [0, 0, 0, 0, 0]);
    assert.deepEqual(
      load.byPriority,
      Array.from({ length: 10 }, () => 0),
    );
    assert.deepEqual([load.totals.cancelled, load.totals.succeeded, load.epoch], [5, 1, 1]);
    assert.equal(load.oldestAvailableAt, null);
  });

  test('nothing purged is ever handed out, promoted or expired', {}, async (lab) => {
    await lab.addMany(5, { ttlMs: 1_000 });
    await lab.add({ runAt: START + 100, ttlMs: 1_000 });
    await lab.engine.purge('q', lab.call);
    assert.deepEqual(await lab.reserve({ max: 100 }), []);
    lab.advance(100);
    assert.deepEqual(await lab.promote(), { done: 0, nextAt: null });
    lab.advance(10_000);
    assert.deepEqual(await lab.expire(), { done: 0, nextAt: null });
    assert.equal((await lab.load()).totals.dead_lettered, 0);
  });

  test('work that comes after it is untouched', {}, async (lab) => {
    await lab.addMany(2);
    await lab.engine.purge('q', lab.call);
    const later = await lab.addMany(2);
    assert.deepEqual(await lab.drainIds(), later);
  });

  test('the place is free at once', { maxDepth: 2, maxScheduled: 1, tenantMaxDepth: 2 }, async (lab) => {
    await lab.addMany(2);
    await lab.add({ runAt: START + 1_000 });
    await lab.engine.purge('q', lab.call);
    await lab.addMany(2);
    await lab.add({ runAt: START + 1_000 });
  });

  test('a task that ran through it comes back into the new epoch', {}, async (lab) => {
    await lab.addMany(3);
    const [a, b, c] = await lab.reserve({ max: 3, leaseMs: 1_000 });
    assert.ok(a && b && c);
    assert.deepEqual(await lab.engine.purge('q', lab.call), { purged: 0, epoch: 1 });
    await lab.end(a, { kind: 'release' });
    await lab.fail(b, { retryDelayMs: 0 });
    await lab.promote();
    lab.advance(1_000);
    await lab.reapAll();
    await lab.prune();
    assert.equal((await lab.reserve({ max: 5 })).length, 3);
    for (const { task } of [a, b, c]) assert.equal(await lab.status(task.id), 'running');
  });

  test('only this queue', {}, async (lab) => {
    await lab.add({ queue: 'a' });
    await lab.add({ queue: 'b' });
    assert.equal((await lab.engine.purge('a', lab.call)).purged, 1);
    assert.deepEqual([(await lab.load('a')).queued, (await lab.load('b')).queued], [0, 1]);
  });

  test('each purge is counted for itself', {}, async (lab) => {
    const epochs: number[] = [];
    for (const count of [2, 0, 3]) {
      await lab.addMany(count);
      const { purged, epoch } = await lab.engine.purge('q', lab.call);
      assert.equal(purged, count);
      epochs.push(epoch);
    }
    assert.deepEqual(epochs, [1, 2, 3]);
    assert.equal((await lab.load()).totals.cancelled, 5);
  });

  test('each purged task keeps the time of its own purge', {}, async (lab) => {
    const first = await lab.add();
    await lab.engine.purge('q', lab.call);
    lab.advance(1_000);
    const second = await lab.add();
    await lab.engine.purge('q', lab.call);
    assert.equal((await lab.get(first)).finishedAt, START);
    assert.equal((await lab.get(second)).finishedAt, START + 1_000);
    await lab.prune();
    assert.equal((await lab.get(first)).finishedAt, START);
    assert.equal((await lab.get(second)).finishedAt, START + 1_000);
  });

  test('an unknown queue is not made by it', {}, async (lab) => {
    assert.deepEqual(await lab.engine.purge('none', lab.call), { purged: 0, epoch: 0 });
    assert.deepEqual(await lab.engine.load(['none'], lab.call), [null]);
  });

  test('listings show it before and after the sweep', {}, async (lab) => {
    const ids = await lab.addMany(30);
    await lab.engine.purge('q', lab.call);
    const later = await lab.add();
    const idsOf = async (status: 'queued' | 'cancelled') => {
      const tasks = await pages((cursor) => lab.engine.list({ status, limit: 7, cursor }, lab.call));
      return tasks.map(({ id }) => id);
    };
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await idsOf('queued'), [later]);
      assert.deepEqual(await idsOf('cancelled'), ids.toReversed());
      await lab.prune(10);
    }
  });

  test('bounded passes sweep it, and counters do not move', { taskRetentionS: 60 }, async (lab) => {
    const ids = await lab.addMany(25);
    await lab.engine.purge('q', lab.call);
    const before = await lab.load();
    await lab.prune(4);
    assert.deepEqual(await lab.load(), before);
    lab.advance(60_000);
    await lab.prune(4);
    assert.deepEqual(await lab.load(), before);
    assert.deepEqual(
      await lab.engine.get(ids, lab.call),
      ids.map(() => null),
    );
  });

  test('a purged task cannot be cancelled, redriven or reserved again', {}, async (lab) => {
    const id = await lab.add();
    await lab.engine.purge('q', lab.call);
    assert.deepEqual(await lab.engine.cancel([id], lab.call), ['finished']);
    assert.deepEqual(await lab.engine.redrive({ ids: [id] }, lab.call), [{ outcome: 'not_found' }]);
    assert.equal((await lab.load()).totals.cancelled, 1);
  });

  test('its key stays held', {}, async (lab) => {
    const id = await lab.add({ idempotencyKey: 'k' });
    await lab.engine.purge('q', lab.call);
    const [again] = await lab.submit({ idempotencyKey: 'k' });
    assert.deepEqual(again, { outcome: 'duplicate', id, status: 'cancelled' });
  });

  test('dead letters and finished records stay', {}, async (lab) => {
    const dead = await lab.addDead();
    await lab.engine.purge('q', lab.call);
    assert.equal(await lab.status(dead), 'dead_lettered');
    assert.equal((await lab.load()).deadLettered, 1);
  });

  test('one event tells it', {}, async (lab) => {
    await lab.addMany(3);
    const events = await lab.record();
    await lab.engine.purge('q', lab.call);
    await lab.add();
    await eventually(() => events.length >= 2, 'the events');
    const [purged, queued, ...more] = events;
    assert.deepEqual([purged?.type, purged?.details], ['QUEUE_PURGED', { purged: 3, epoch: 1 }]);
    assert.deepEqual([queued?.type, more], ['TASK_QUEUED', []]);
  });
});
