// Time to live: it gates every start, and what waits too long ends wherever it stands.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { START } from '../lab.ts';

export const expire = chapter('expire', (test) => {
  test('an expired task is never handed out, and ends in place', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 1_000 });
    const next = await lab.add();
    lab.advance(1_000);
    assert.equal((await lab.take()).task.id, next);
    const task = await lab.get(id);
    assert.equal(task.status, 'dead_lettered');
    assert.deepEqual(task.deadLetter, { reason: 'expired', at: START + 1_000 });
    assert.deepEqual([task.deliveries, task.attempt, task.startedAt], [0, 0, null]);
    assert.deepEqual(task.attempts, []);
  });

  test('one millisecond earlier it still starts', {}, async (lab) => {
    await lab.add({ ttlMs: 1_000 });
    lab.advance(999);
    await lab.take();
  });

  test('a long row of expired heads hides nobody', {}, async (lab) => {
    await lab.addMany(150, { ttlMs: 10 });
    const alive = await lab.add();
    lab.advance(10);
    assert.equal((await lab.take()).task.id, alive);
    assert.equal((await lab.load()).deadLettered, 150);
  });

  test('the pass finds the expired anywhere in the queue', {}, async (lab) => {
    const front = await lab.add();
    const middle = await lab.add({ ttlMs: 500 });
    const back = await lab.add();
    const delayed = await lab.add({ runAt: START + 9_999, ttlMs: 600 });
    lab.advance(599);
    assert.deepEqual(await lab.expire(), { done: 1, nextAt: START + 600 });
    lab.advance(1);
    assert.deepEqual(await lab.expire(), { done: 1, nextAt: null });
    assert.deepEqual(
      [await lab.status(middle), await lab.status(delayed)],
      ['dead_lettered', 'dead_lettered'],
    );
    assert.deepEqual(await lab.drainIds(), [front, back]);
  });

  test('a retry that waits expires too', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 1_000 });
    await lab.fail(await lab.take(), { retryDelayMs: 900 });
    assert.equal(await lab.status(id), 'retrying');
    lab.advance(1_000);
    assert.equal((await lab.expire()).done, 1);
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.deadLetter?.reason], ['dead_lettered', 'expired']);
    assert.equal(task.lastError?.name, 'Boom', 'why it had failed stays');
  });

  test('a retry that would be due after the time to live expires at once', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 1_000 });
    await lab.fail(await lab.take(), { retryDelayMs: 1_000 });
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.deadLetter?.reason], ['dead_lettered', 'expired']);
    assert.equal(task.attempts[0]?.outcome, 'expired');
  });

  test('earliest first, bounded by the limit', {}, async (lab) => {
    const ids: string[] = [];
    for (const ttlMs of [30, 10, 20, 10]) ids.push(await lab.add({ ttlMs }));
    lab.advance(100);
    assert.deepEqual(await lab.expire(3), { done: 3, nextAt: START + 30 });
    const states = await Promise.all(ids.map((id) => lab.status(id)));
    assert.deepEqual(states, ['queued', 'dead_lettered', 'dead_lettered', 'dead_lettered']);
  });

  test('a running task is left alone', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 100 });
    const lease = await lab.take();
    lab.advance(1_000);
    assert.deepEqual(await lab.expire(), { done: 0, nextAt: null });
    await lab.succeed(lease);
    assert.equal(await lab.status(id), 'succeeded');
  });

  test('without dead letters on expiry a task ends expired', { deadLetterOnExpiry: false }, async (lab) => {
    const byPass = await lab.add({ ttlMs: 100 });
    const byHead = await lab.add({ ttlMs: 200 });
    lab.advance(100);
    await lab.expire();
    lab.advance(100);
    assert.deepEqual(await lab.reserve(), []);
    assert.deepEqual([await lab.status(byPass), await lab.status(byHead)], ['expired', 'expired']);
    const { totals, deadLettered } = await lab.load();
    assert.deepEqual([totals.expired, totals.dead_lettered, deadLettered], [2, 0, 0]);
  });

  test('without dead letters at all too', { deadLetter: false }, async (lab) => {
    const id = await lab.add({ ttlMs: 100 });
    lab.advance(100);
    await lab.expire();
    assert.equal(await lab.status(id), 'expired');
  });

  test('counters and bytes follow', {}, async (lab) => {
    await lab.add({ ttlMs: 100, payload: '"abc"', priority: 2 });
    await lab.add({ ttlMs: 100, runAt: START + 5_000 });
    lab.advance(100);
    await lab.expire();
    const load = await lab.load();
    assert.deepEqual([load.queued, load.scheduled, load.bytes, load.byPriority[2]], [0, 0, 0, 0]);
    assert.deepEqual([load.deadLettered, load.totals.dead_lettered], [2, 2]);
  });

  test('a cancel that comes before the expiry wins', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 100 });
    lab.advance(100);
    assert.deepEqual(await lab.engine.cancel([id], lab.call), ['cancelled']);
    assert.equal((await lab.expire()).done, 0);
    assert.equal(await lab.status(id), 'cancelled');
  });
});
