// Reserve: how much, from which queues, and the same answer to the same request.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { type Lab, START } from '../lab.ts';

const from = (...names: readonly string[]) => names.map((name) => ({ name, weight: 1 }));

async function queuesOf(lab: Lab, queues: readonly { name: string; weight: number }[], max: number) {
  const leases = await lab.reserve({ queues, max });
  return leases.map(({ task }) => task.queue).join('');
}

export const reserve = chapter('reserve', (test) => {
  test('never more than max, never more than there is', {}, async (lab) => {
    await lab.addMany(5);
    assert.equal((await lab.reserve({ max: 3 })).length, 3);
    assert.equal((await lab.reserve({ max: 3 })).length, 2);
    assert.equal((await lab.reserve({ max: 3 })).length, 0);
  });

  test('an unknown queue gives nothing and is not made', {}, async (lab) => {
    assert.deepEqual(await lab.reserve({ queues: from('none') }), []);
    assert.deepEqual(await lab.engine.load(['none'], lab.call), [null]);
  });

  test('each reservation counts a delivery and an attempt', {}, async (lab) => {
    const id = await lab.add();
    await lab.take();
    const { attempt, deliveries, startedAt, availableAt } = await lab.get(id);
    assert.deepEqual([attempt, deliveries, startedAt, availableAt], [1, 1, START, START]);
    const { queued, running, byPriority } = await lab.load();
    assert.deepEqual([queued, running, byPriority[5]], [0, 1, 0]);
  });

  test('started_at is the first start', {}, async (lab) => {
    const id = await lab.add();
    lab.advance(5);
    await lab.end(await lab.take(), { kind: 'release' });
    lab.advance(5);
    await lab.take();
    assert.equal((await lab.get(id)).startedAt, START + 5);
  });

  test('queues share max by weight', {}, async (lab) => {
    await lab.addMany(20, { queue: 'a' });
    await lab.addMany(20, { queue: 'b' });
    const queues = [
      { name: 'a', weight: 3 },
      { name: 'b', weight: 1 },
    ];
    assert.equal(await queuesOf(lab, queues, 8), 'aaaaaabb');
  });

  test('what one queue leaves, the others fill in listed order', {}, async (lab) => {
    await lab.addMany(1, { queue: 'a' });
    await lab.addMany(20, { queue: 'b' });
    await lab.addMany(20, { queue: 'c' });
    assert.equal(await queuesOf(lab, from('a', 'b', 'c'), 9), 'abbbcccbb');
  });

  test('max 1 asks the first listed queue first', {}, async (lab) => {
    await lab.addMany(1, { queue: 'a' });
    await lab.addMany(1, { queue: 'b' });
    assert.equal(await queuesOf(lab, from('b', 'a'), 1), 'b');
    assert.equal(await queuesOf(lab, from('b', 'a'), 1), 'a');
  });

  test('the same request id answers the same leases and takes nothing new', {}, async (lab) => {
    await lab.addMany(5);
    const request = lab.request({ max: 2, nonce: 'first' });
    const { leases } = await lab.engine.reserve(request, lab.call);
    lab.advance(10);
    const again = await lab.engine.reserve({ ...request, max: 5, nonce: 'second' }, lab.call);
    assert.deepEqual(again.leases, leases);
    assert.equal((await lab.load()).running, 2);
  });

  test('a repeated request shows what an extension has changed', {}, async (lab) => {
    await lab.add();
    const request = lab.request();
    const { leases } = await lab.engine.reserve(request, lab.call);
    const [lease] = leases;
    assert.ok(lease);
    const progress = { percent: 10, message: 'on it' };
    const extension = { id: lease.task.id, token: lease.token, leaseMs: 99_000, progress };
    await lab.engine.extend([extension], lab.call);
    const [again] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.equal(again?.until, lab.at + 99_000);
    assert.deepEqual(again?.task.progress, progress);
    assert.equal(again?.token, lease.token);
  });

  test('a repeated request answers only the leases that still live', {}, async (lab) => {
    await lab.addMany(4);
    const request = lab.request({ max: 3 });
    const { leases } = await lab.engine.reserve(request, lab.call);
    const [first, second, third] = leases;
    assert.ok(first && second && third);
    await lab.succeed(second);
    const again = await lab.engine.reserve(request, lab.call);
    assert.deepEqual(
      again.leases.map(({ token, task }) => [task.id, token]),
      [first, third].map(({ token, task }) => [task.id, token]),
    );
  });

  test('when the last of its leases has ended, the request id is new again', {}, async (lab) => {
    await lab.addMany(2);
    const request = lab.request();
    const [lease] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.ok(lease);
    await lab.succeed(lease);
    const [next] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.ok(next);
    assert.notEqual(next.task.id, lease.task.id);
  });

  test('a released task that another request took is not answered to the first', {}, async (lab) => {
    await lab.addMany(1);
    const request = lab.request();
    const [lease] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.ok(lease);
    await lab.end(lease, { kind: 'release' });
    await lab.take();
    assert.deepEqual((await lab.engine.reserve(request, lab.call)).leases, []);
  });

  test('an empty answer is not remembered', {}, async (lab) => {
    const request = lab.request();
    assert.deepEqual((await lab.engine.reserve(request, lab.call)).leases, []);
    await lab.add();
    assert.equal((await lab.engine.reserve(request, lab.call)).leases.length, 1);
  });

  test('a reaped lease is no longer the request’s', {}, async (lab) => {
    await lab.addMany(2);
    const request = lab.request({ max: 1, leaseMs: 1_000 });
    const [lease] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.ok(lease);
    lab.advance(1_000);
    const late = await lab.engine.reserve(request, lab.call);
    assert.deepEqual(late.leases, [lease], 'past its time, but nobody has reaped it');
    await lab.reap();
    const [other] = (await lab.engine.reserve(request, lab.call)).leases;
    assert.notEqual(other?.task.id, lease.task.id);
  });

  test('the answer says when to come back', {}, async (lab) => {
    const ask = async () => (await lab.engine.reserve(lab.request(), lab.call)).nextDueAt;
    assert.equal(await ask(), null);
    await lab.add({ runAt: START + 5_000 });
    await lab.add({ runAt: START + 3_000 });
    assert.equal(await ask(), START + 3_000);
  });
});
