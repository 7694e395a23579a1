// Attempts against deliveries: what spends an attempt, what gives it back, and what ends a task.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import type { Lab } from '../lab.ts';

async function figures(lab: Lab, id: string): Promise<readonly number[]> {
  const { attempt, deliveries, leaseLosses, generation } = await lab.get(id);
  return [attempt, deliveries, leaseLosses, generation];
}

async function loseLease(lab: Lab): Promise<void> {
  await lab.take({ leaseMs: 1_000 });
  lab.advance(1_000);
  await lab.reapAll();
}

export const attempts = chapter('attempts', (test) => {
  test('attempt = deliveries - released - deferred', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 10 });
    await lab.end(await lab.take(), { kind: 'release' });
    assert.deepEqual(await figures(lab, id), [0, 1, 0, 1]);
    await lab.end(await lab.take(), { kind: 'defer', delayMs: 0 });
    await lab.promote();
    assert.deepEqual(await figures(lab, id), [0, 2, 0, 1]);
    await lab.fail(await lab.take(), { retryDelayMs: 0 });
    await lab.promote();
    assert.deepEqual(await figures(lab, id), [1, 3, 0, 1]);
    await loseLease(lab);
    assert.deepEqual(await figures(lab, id), [2, 4, 1, 1]);
    await lab.take();
    assert.deepEqual(await figures(lab, id), [3, 5, 1, 1]);
  });

  test('max_attempts failures and no more', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 3 });
    for (let i = 0; i < 2; i += 1) {
      await lab.fail(await lab.take(), { retryDelayMs: 0 });
      assert.equal(await lab.status(id), 'retrying');
      await lab.promote();
    }
    await lab.fail(await lab.take());
    const task = await lab.get(id);
    assert.deepEqual(
      [task.status, task.deadLetter?.reason, task.attempt],
      ['dead_lettered', 'attempts_exhausted', 3],
    );
  });

  test('a lost lease spends an attempt', {}, async (lab) => {
    await lab.configure({ maxLeaseLosses: 100 });
    const id = await lab.add({ maxAttempts: 2 });
    await loseLease(lab);
    assert.equal(await lab.status(id), 'queued');
    await loseLease(lab);
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.deadLetter?.reason], ['dead_lettered', 'attempts_exhausted']);
  });

  test('max_lease_losses sends poison to the dead letters', {}, async (lab) => {
    await lab.configure({ maxLeaseLosses: 2 });
    const id = await lab.add({ maxAttempts: 50 });
    await loseLease(lab);
    await lab.end(await lab.take(), { kind: 'release' });
    await loseLease(lab);
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.deadLetter?.reason], ['dead_lettered', 'lease_lost']);
  });

  test('with dead letters off a task ends failed', { deadLetter: false }, async (lab) => {
    const id = await lab.add({ maxAttempts: 1 });
    await lab.fail(await lab.take());
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.deadLetter, task.inDlq], ['failed', null, false]);
  });

  test('the policy that decides is the one the lease carries', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 1 });
    const lease = await lab.take();
    await lab.configure({ deadLetter: false });
    await lab.fail(lease);
    assert.equal(await lab.status(id), 'dead_lettered');
  });

  test('releases and deferrals can go on for long', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 1 });
    for (let i = 0; i < 40; i += 1) {
      await lab.end(await lab.take(), i % 2 === 0 ? { kind: 'release' } : { kind: 'defer', delayMs: 0 });
      await lab.promote();
    }
    assert.deepEqual(await figures(lab, id), [0, 40, 0, 1]);
    await lab.succeed(await lab.take());
  });
});
