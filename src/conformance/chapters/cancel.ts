// Cancel: at once for what waits, by wish for what runs, too late for what has ended.
import assert from 'node:assert/strict';
import type { Outcome } from '../../core/decision.ts';
import { chapter } from '../frame.ts';
import { boom, START } from '../lab.ts';

const OUTCOMES: readonly Outcome[] = [
  { kind: 'succeed', result: '"done"' },
  { kind: 'fail', error: boom },
  { kind: 'fail', error: { ...boom, retryable: false } },
  { kind: 'defer', delayMs: 10 },
  { kind: 'release' },
  { kind: 'unknown_type' },
  { kind: 'expired' },
  { kind: 'lease_lost' },
];

export const cancel = chapter('cancel', (test) => {
  test('a waiting task ends at once', {}, async (lab) => {
    const queued = await lab.add({ payload: '"abc"' });
    const scheduled = await lab.add({ runAt: START + 1_000 });
    lab.advance(5);
    assert.deepEqual(await lab.engine.cancel([queued, scheduled], lab.call), ['cancelled', 'cancelled']);
    for (const id of [queued, scheduled]) {
      const task = await lab.get(id);
      assert.deepEqual(
        [task.status, task.cancelReason, task.cancelRequested, task.finishedAt],
        ['cancelled', 'requested', false, START + 5],
      );
    }
    const load = await lab.load();
    assert.deepEqual([load.queued, load.scheduled, load.bytes, load.totals.cancelled], [0, 0, 0, 2]);
    lab.advance(10_000);
    await lab.promote();
    assert.deepEqual(await lab.reserve(), []);
  });

  test('a retry that waits ends at once', {}, async (lab) => {
    const id = await lab.add();
    await lab.fail(await lab.take());
    assert.deepEqual(await lab.engine.cancel([id], lab.call), ['cancelled']);
    assert.equal((await lab.load()).retrying, 0);
  });

  test('a running task is asked to stop and ends cancelled whatever it returns', {}, async (lab) => {
    for (const outcome of OUTCOMES) {
      const id = await lab.add();
      const lease = await lab.take();
      assert.deepEqual(await lab.engine.cancel([id], lab.call), ['requested']);
      assert.deepEqual(await lab.engine.cancel([id], lab.call), ['requested']);
      const asked = await lab.get(id);
      assert.deepEqual([asked.status, asked.cancelRequested, asked.cancelReason], ['running', true, null]);
      assert.deepEqual(await lab.settle(lease, outcome), { outcome: 'settled', status: 'cancelled' });
      const task = await lab.get(id);
      assert.deepEqual(
        [task.status, task.cancelReason, task.result, task.inDlq, task.deadLetter, task.finishedAt],
        ['cancelled', 'requested', null, false, null, lab.at],
        outcome.kind,
      );
      const record = task.attempts.at(-1);
      assert.deepEqual([record?.outcome, record?.retryDelayMs], ['cancelled', null]);
    }
    const { totals, queued, running } = await lab.load();
    assert.deepEqual([totals.cancelled, totals.succeeded, queued, running], [OUTCOMES.length, 0, 0, 0]);
  });

  test('the error of a cancelled run is kept', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    await lab.engine.cancel([id], lab.call);
    await lab.fail(lease);
    const task = await lab.get(id);
    assert.deepEqual([task.lastError, task.attempts[0]?.error], [boom, boom]);
  });

  test('what has ended cannot be cancelled', {}, async (lab) => {
    const dead = await lab.addDead();
    const done = await lab.add();
    await lab.succeed(await lab.take());
    const cancelled = await lab.add();
    await lab.engine.cancel([cancelled], lab.call);
    assert.deepEqual(await lab.engine.cancel([dead, done, cancelled], lab.call), [
      'finished',
      'finished',
      'finished',
    ]);
    assert.equal(await lab.status(done), 'succeeded');
  });

  test('one id twice in a batch is cancelled once', {}, async (lab) => {
    const id = await lab.add();
    assert.deepEqual(await lab.engine.cancel([id, id], lab.call), ['cancelled', 'finished']);
    assert.equal((await lab.load()).totals.cancelled, 1);
  });

  test('a race of cancel and settle has one winner', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    const [[cancelled], settled] = await Promise.all([
      lab.engine.cancel([id], lab.call),
      lab.settle(lease, { kind: 'succeed', result: null }),
    ]);
    const status = await lab.status(id);
    assert.equal(settled.status, status);
    assert.equal(status, cancelled === 'requested' ? 'cancelled' : 'succeeded');
  });
});
