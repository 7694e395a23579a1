// The order of starts inside a queue: first in first out in a line, lanes by aged priority.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { type Lab, START } from '../lab.ts';

/** Starts everything, and names each start by its task's payload. */
async function startOrder(lab: Lab): Promise<string> {
  const ids = await lab.drainIds();
  const tasks = await lab.engine.get(ids, lab.call);
  return tasks.map((task) => JSON.parse(task?.payload ?? '"?"')).join(' ');
}

const named = (name: string) => ({ payload: JSON.stringify(name) });

export const order = chapter('order', (test) => {
  test('first in, first out', {}, async (lab) => {
    const ids = [...(await lab.addMany(5)), await lab.add(), await lab.add()];
    assert.deepEqual(await lab.drainIds(), ids);
  });

  test('a batch comes out in the same order as one by one', {}, async (lab) => {
    const ids = await lab.addMany(20);
    const leases = await lab.reserve({ max: 20 });
    assert.deepEqual(
      leases.map(({ task }) => task.id),
      ids,
    );
  });

  test('higher priorities first where all are of one age', {}, async (lab) => {
    for (const priority of [0, 5, 9, 3, 9, 5]) await lab.add({ priority, ...named(String(priority)) });
    assert.equal(await startOrder(lab), '9 9 5 5 3 0');
  });

  test('aging: a task is overtaken only for (q - p) x aging', { priorityAgingMs: 1_000 }, async (lab) => {
    await lab.add({ priority: 2, ...named('old-2') });
    lab.advance(2_999);
    await lab.add({ priority: 5, ...named('young-5') });
    lab.advance(1);
    await lab.add({ priority: 5, ...named('even-5') });
    lab.advance(1);
    await lab.add({ priority: 5, ...named('late-5') });
    assert.equal(await startOrder(lab), 'young-5 even-5 old-2 late-5');
  });

  test('aging: ties go to the higher priority', { priorityAgingMs: 1_000 }, async (lab) => {
    await lab.add({ priority: 2, ...named('2') });
    lab.advance(3_000);
    await lab.add({ priority: 5, ...named('5') });
    assert.equal(await startOrder(lab), '5 2');
  });

  test('a new 9 queues behind a 1 that is older than eight agings', { priorityAgingMs: 10 }, async (lab) => {
    await lab.add({ priority: 1, ...named('1') });
    lab.advance(81);
    await lab.add({ priority: 9, ...named('9') });
    assert.equal(await startOrder(lab), '1 9');
  });

  test('aging 0 is strict priority', { priorityAgingMs: 0 }, async (lab) => {
    await lab.add({ priority: 0, ...named('0') });
    lab.advance(1_000_000_000);
    await lab.add({ priority: 1, ...named('1') });
    assert.equal(await startOrder(lab), '1 0');
  });

  test('the lane is as old as its oldest head, whoever has the turn', {
    priorityAgingMs: 1_000,
  }, async (lab) => {
    await lab.add({ priority: 3, tenant: 'a', ...named('a1') });
    await lab.add({ priority: 3, tenant: 'a', ...named('a2') });
    lab.advance(500);
    await lab.add({ priority: 3, tenant: 'b', ...named('b1') });
    lab.advance(1_000);
    await lab.add({ priority: 4, tenant: 'c', ...named('c1') });
    // Lane 3 counts from a's head at 0 (then a2's, also 0), so 4 x 1000 - 1500 later does not get ahead.
    assert.equal(await startOrder(lab), 'a1 b1 a2 c1');
  });

  test('a release goes to the head of its line', {}, async (lab) => {
    await lab.add(named('a'));
    await lab.add(named('b'));
    const a = await lab.take();
    await lab.end(a, { kind: 'release' });
    assert.equal(await startOrder(lab), 'a b');
  });

  test('releases stack: the last released comes first', {}, async (lab) => {
    for (const name of ['a', 'b', 'c']) await lab.add(named(name));
    const [a, b] = await lab.reserve({ max: 2 });
    assert.ok(a && b);
    await lab.end(a, { kind: 'release' });
    await lab.end(b, { kind: 'release' });
    assert.equal(await startOrder(lab), 'b a c');
  });

  test('a lost lease goes to the head of its line', {}, async (lab) => {
    await lab.add(named('a'));
    await lab.add(named('b'));
    await lab.take({ leaseMs: 1_000 });
    lab.advance(1_000);
    await lab.reapAll();
    assert.equal(await startOrder(lab), 'a b');
  });

  test('a promoted task joins the tail of its line and keeps its due time', {
    priorityAgingMs: 1_000,
  }, async (lab) => {
    await lab.add({ runAt: START + 100, ...named('delayed') });
    lab.advance(200);
    await lab.add(named('b'));
    await lab.promote();
    await lab.add(named('c'));
    assert.equal(await startOrder(lab), 'b delayed c');
  });

  test('a redriven task joins the tail', {}, async (lab) => {
    const id = await lab.addDead(named('dead'));
    await lab.add(named('b'));
    await lab.engine.redrive({ ids: [id] }, lab.call);
    await lab.add(named('c'));
    assert.equal(await startOrder(lab), 'b dead c');
  });

  test('cancelling from the middle leaves the rest in order', {}, async (lab) => {
    const ids = await lab.addMany(6);
    const [, second, , fourth] = ids;
    await lab.engine.cancel([second ?? '', fourth ?? ''], lab.call);
    assert.deepEqual(
      await lab.drainIds(),
      ids.filter((id) => id !== second && id !== fourth),
    );
  });

  test('the oldest task that waits is told', {}, async (lab) => {
    const first = await lab.add({ priority: 1 });
    lab.advance(10);
    await lab.add({ priority: 9 });
    assert.equal((await lab.load()).oldestAvailableAt, START);
    await lab.engine.cancel([first], lab.call);
    assert.equal((await lab.load()).oldestAvailableAt, START + 10);
    await lab.take();
    assert.equal((await lab.load()).oldestAvailableAt, null);
  });
});
