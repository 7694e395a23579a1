// Settle: each decision is stored as it came, with the attempt's record.
import assert from 'node:assert/strict';
import type { Settled } from '../../core/decision.ts';
import type { Lease } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { boom, type Lab, START } from '../lab.ts';

/** Settles with a decision made here, not by core: a store writes down what it is given. */
async function store(lab: Lab, lease: Lease, settled: Settled) {
  const { task, token } = lease;
  const settlement = { id: task.id, token, workerId: 'w9', startedAt: lab.at - 7, settled };
  const [result] = await lab.engine.settle([settlement], lab.call);
  assert.equal(result?.outcome, 'settled');
  const stored = await lab.get(task.id);
  assert.equal(result.status, stored.status);
  return stored;
}

export const settle = chapter('settle', (test) => {
  test('succeeded: the result and the end', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    lab.advance(50);
    const task = await store(lab, lease, {
      decision: { to: 'succeeded', result: '{"rows":[1,2,3]}' },
      outcome: 'succeeded',
      retryDelayMs: null,
    });
    assert.equal(task.status, 'succeeded');
    assert.equal(task.result, '{"rows":[1,2,3]}');
    assert.equal(task.finishedAt, START + 50);
    assert.equal(task.lastError, null);
    assert.deepEqual(task.attempts, [
      {
        attempt: 1,
        workerId: 'w9',
        startedAt: START + 43,
        finishedAt: START + 50,
        outcome: 'succeeded',
        error: null,
        retryDelayMs: null,
      },
    ]);
  });

  test('retrying: due when the decision says', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    const task = await store(lab, lease, {
      decision: { to: 'retrying', availableAt: START + 12_345, error: boom },
      outcome: 'retrying',
      retryDelayMs: 12_345,
    });
    assert.equal(task.status, 'retrying');
    assert.equal(task.availableAt, START + 12_345);
    assert.equal(task.finishedAt, null);
    assert.deepEqual(task.lastError, boom);
    assert.equal(task.attempt, 1);
    const [record] = task.attempts;
    assert.deepEqual([record?.outcome, record?.error, record?.retryDelayMs], ['retrying', boom, 12_345]);
  });

  test('dead-lettered: the reason, the time and a letter in the DLQ', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    lab.advance(3);
    const task = await store(lab, lease, {
      decision: { to: 'dead_lettered', reason: 'permanent_failure', error: { ...boom, retryable: false } },
      outcome: 'dead_lettered',
      retryDelayMs: null,
    });
    assert.equal(task.status, 'dead_lettered');
    assert.deepEqual(task.deadLetter, { reason: 'permanent_failure', at: START + 3 });
    assert.equal(task.inDlq, true);
    assert.equal(task.finishedAt, START + 3);
    assert.equal(task.lastError?.retryable, false);
    assert.equal((await lab.load()).deadLettered, 1);
  });

  test('failed and expired end without a letter', {}, async (lab) => {
    await lab.addMany(2);
    const [a, b] = await lab.reserve({ max: 2 });
    assert.ok(a && b);
    const failed = await store(lab, a, {
      decision: { to: 'failed', error: boom },
      outcome: 'failed',
      retryDelayMs: null,
    });
    const expired = await store(lab, b, {
      decision: { to: 'expired', error: null },
      outcome: 'expired',
      retryDelayMs: null,
    });
    assert.deepEqual([failed.status, failed.deadLetter, failed.inDlq], ['failed', null, false]);
    assert.deepEqual([expired.status, expired.deadLetter, expired.inDlq], ['expired', null, false]);
    const { totals, deadLettered } = await lab.load();
    assert.deepEqual([totals.failed, totals.expired, totals.dead_lettered, deadLettered], [1, 1, 0, 0]);
  });

  test('scheduled: later, with the attempt given back', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    const task = await store(lab, lease, {
      decision: { to: 'scheduled', availableAt: START + 500, unknownSince: START },
      outcome: 'deferred',
      retryDelayMs: null,
    });
    assert.equal(task.status, 'scheduled');
    assert.deepEqual([task.attempt, task.deliveries, task.leaseLosses], [0, 1, 0]);
    assert.deepEqual([task.availableAt, task.unknownSince], [START + 500, START]);
    assert.deepEqual([task.attempts[0]?.attempt, task.attempts[0]?.outcome], [1, 'deferred']);
  });

  test('queued: a release gives the attempt back, a lost lease counts a loss', {}, async (lab) => {
    await lab.add();
    const first = await lab.take();
    lab.advance(100);
    const released = await store(lab, first, {
      decision: { to: 'queued', cause: 'released' },
      outcome: 'released',
      retryDelayMs: null,
    });
    assert.deepEqual([released.status, released.availableAt], ['queued', START]);
    assert.deepEqual([released.attempt, released.deliveries, released.leaseLosses], [0, 1, 0]);
    const second = await lab.take();
    const lost = await store(lab, second, {
      decision: { to: 'queued', cause: 'lease_lost' },
      outcome: 'lease_lost',
      retryDelayMs: null,
    });
    assert.deepEqual([lost.status, lost.availableAt], ['queued', START]);
    assert.deepEqual([lost.attempt, lost.deliveries, lost.leaseLosses], [1, 2, 1]);
    assert.deepEqual(
      lost.attempts.map(({ attempt, outcome }) => [attempt, outcome]),
      [
        [1, 'released'],
        [1, 'lease_lost'],
      ],
    );
  });

  test('the last error stays over a later success', {}, async (lab) => {
    const id = await lab.add();
    await lab.fail(await lab.take(), { retryDelayMs: 0 });
    await lab.promote();
    await lab.succeed(await lab.take(), '1');
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.lastError], ['succeeded', boom]);
  });

  test('a start for real forgets that the type was unknown', {}, async (lab) => {
    const id = await lab.add();
    await lab.end(await lab.take(), { kind: 'unknown_type' });
    assert.equal((await lab.get(id)).unknownSince, START);
    lab.advance(10_000);
    await lab.promote();
    await lab.end(await lab.take(), { kind: 'release' });
    assert.equal((await lab.get(id)).unknownSince, START, 'a release proves nothing');
    await lab.fail(await lab.take(), { retryDelayMs: 0 });
    assert.equal((await lab.get(id)).unknownSince, null);
  });

  test('an unknown type is deferred with back-off, then dead-lettered', {}, async (lab) => {
    await lab.configure({ unknownTypeMaxMs: 60_000 });
    const id = await lab.add();
    let rounds = 0;
    while ((await lab.get(id)).status !== 'dead_lettered') {
      await lab.end(await lab.take(), { kind: 'unknown_type' });
      const { status, availableAt } = await lab.get(id);
      if (status === 'scheduled') {
        lab.at = availableAt;
        await lab.promote();
      }
      rounds += 1;
      assert.ok(rounds < 50);
    }
    const task = await lab.get(id);
    assert.equal(task.deadLetter?.reason, 'unknown_type');
    assert.equal(task.attempt, 1, 'only the last delivery is spent');
    assert.ok(lab.at >= START + 60_000);
  });

  test('the record keeps the newest 20 attempts', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 100 });
    for (let i = 0; i < 25; i += 1) {
      await lab.fail(await lab.take(), { retryDelayMs: 0 });
      await lab.promote();
    }
    const { attempts } = await lab.get(id);
    assert.deepEqual(
      attempts.map(({ attempt }) => attempt),
      Array.from({ length: 20 }, (_, i) => i + 6),
    );
  });
});
