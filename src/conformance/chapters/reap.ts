// Reap: a lease that ran out goes to the reaper, the worker's token dies at once, and a reaper may die too.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { eventually, type Lab, START } from '../lab.ts';

async function leaseFor(lab: Lab, leaseMs: number, workerId = 'w1') {
  await lab.add();
  return lab.take({ leaseMs, workerId });
}

export const reap = chapter('reap', (test) => {
  test('a lease is reaped when its time is over, not before', {}, async (lab) => {
    await leaseFor(lab, 1_000);
    lab.advance(999);
    assert.deepEqual(await lab.reap(), { leases: [], nextAt: START + 1_000 });
    lab.advance(1);
    const { leases } = await lab.reap(100, 5_000);
    assert.equal(leases.length, 1);
    assert.equal(leases[0]?.until, lab.at + 5_000);
    assert.deepEqual((await lab.reap()).leases, []);
  });

  test('the reaper gets the task as it is, and who lost it', {}, async (lab) => {
    const lease = await leaseFor(lab, 1_000, 'w7');
    lab.advance(2_000);
    const [reaped] = (await lab.reap()).leases;
    assert.ok(reaped);
    assert.deepEqual(reaped.task, lease.task);
    assert.deepEqual([reaped.lostBy, reaped.startedAt], ['w7', START]);
    assert.deepEqual(reaped.policy, lease.policy);
    assert.match(reaped.token, /^2\./);
    assert.deepEqual([reaped.task.status, reaped.task.deliveries], ['running', 1]);
  });

  test('the old token is dead at once', {}, async (lab) => {
    const lease = await leaseFor(lab, 1_000);
    lab.advance(1_000);
    const [reaped] = (await lab.reap()).leases;
    assert.ok(reaped);
    assert.equal((await lab.settle(lease, { kind: 'succeed', result: null })).outcome, 'lease_lost');
    await lab.end(reaped, { kind: 'lease_lost' });
    assert.equal((await lab.settle(lease, { kind: 'succeed', result: null })).outcome, 'lease_lost');
    const task = await lab.get(lease.task.id);
    assert.deepEqual([task.status, task.attempt, task.leaseLosses], ['queued', 1, 1]);
  });

  test('the attempt is written down for the worker that lost it', {}, async (lab) => {
    const { task } = await leaseFor(lab, 1_000, 'w7');
    lab.advance(1_500);
    const [reaped] = (await lab.reap()).leases;
    assert.ok(reaped);
    const settlement = lab.settlement(reaped, { kind: 'lease_lost' }, reaped.lostBy);
    await lab.engine.settle([{ ...settlement, startedAt: reaped.startedAt }], lab.call);
    assert.deepEqual((await lab.get(task.id)).attempts, [
      {
        attempt: 1,
        workerId: 'w7',
        startedAt: START,
        finishedAt: START + 1_500,
        outcome: 'lease_lost',
        error: null,
        retryDelayMs: null,
      },
    ]);
  });

  test('a reaper that dies is reaped, and the loss counts once', {}, async (lab) => {
    const events = await lab.record();
    const { task } = await leaseFor(lab, 1_000, 'w7');
    lab.advance(1_000);
    await lab.reap(100, 2_000);
    lab.advance(2_000);
    const [again] = (await lab.reap()).leases;
    assert.ok(again);
    assert.deepEqual([again.lostBy, again.startedAt], ['w7', START]);
    assert.match(again.token, /^3\./);
    await lab.end(again, { kind: 'lease_lost' });
    const { leaseLosses, attempt, deliveries, status } = await lab.get(task.id);
    assert.deepEqual([leaseLosses, attempt, deliveries, status], [1, 1, 1, 'queued']);
    await eventually(() => events.some(({ type, at }) => type === 'TASK_QUEUED' && at > START), 'the return');
    assert.equal(events.filter(({ type }) => type === 'LEASE_LOST').length, 1);
  });

  test('the next delivery can be lost and told again', {}, async (lab) => {
    const events = await lab.record();
    await leaseFor(lab, 1_000);
    lab.advance(1_000);
    await lab.reapAll();
    await lab.take({ leaseMs: 1_000, workerId: 'w2' });
    lab.advance(1_000);
    await lab.reapAll();
    await eventually(() => events.filter(({ type }) => type === 'LEASE_LOST').length === 2, 'two losses');
    assert.deepEqual(
      events.filter(({ type }) => type === 'LEASE_LOST').map(({ workerId }) => workerId),
      ['w1', 'w2'],
    );
  });

  test('bounded by max, the earliest first', {}, async (lab) => {
    await lab.addMany(3);
    const [a, b, c] = await lab.reserve({ max: 3, leaseMs: 10_000 });
    assert.ok(a && b && c);
    const extension = (lease: typeof a, leaseMs: number) => ({
      id: lease.task.id,
      token: lease.token,
      leaseMs,
    });
    await lab.engine.extend([extension(a, 300), extension(b, 100), extension(c, 200)], lab.call);
    lab.advance(1_000);
    const first = await lab.reap(2);
    assert.deepEqual(
      first.leases.map(({ task }) => task.id),
      [b.task.id, c.task.id],
    );
    assert.equal(first.nextAt, START + 300);
    const second = await lab.reap(2);
    assert.deepEqual(
      second.leases.map(({ task }) => task.id),
      [a.task.id],
    );
  });

  test('two reapers never get the same lease', { maxDepth: 1_000 }, async (lab) => {
    await lab.addMany(200);
    await lab.reserve({ max: 100, leaseMs: 10 });
    await lab.reserve({ max: 100, leaseMs: 10 });
    lab.advance(10);
    const replies = await Promise.all([lab.reap(80), lab.reap(80), lab.reap(80)]);
    const ids = replies.flatMap(({ leases }) => leases.map(({ task }) => task.id));
    assert.equal(ids.length, 200);
    assert.equal(new Set(ids).size, 200);
  });

  test('a lost task that was cancelled meanwhile ends cancelled', {}, async (lab) => {
    const { task } = await leaseFor(lab, 1_000);
    await lab.engine.cancel([task.id], lab.call);
    lab.advance(1_000);
    await lab.reapAll();
    assert.equal(await lab.status(task.id), 'cancelled');
  });

  test('a worker that settles in time leaves nothing to reap', {}, async (lab) => {
    const lease = await leaseFor(lab, 1_000);
    await lab.succeed(lease);
    lab.advance(10_000);
    assert.deepEqual(await lab.reap(), { leases: [], nextAt: null });
  });

  test('a lost lease is queued again before others of its line', {}, async (lab) => {
    const first = await leaseFor(lab, 1_000);
    const second = await lab.add();
    lab.advance(1_000);
    assert.deepEqual(await lab.reapAll(), [first.task.id]);
    assert.deepEqual(await lab.drainIds(), [first.task.id, second]);
  });
});
