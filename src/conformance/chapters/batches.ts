// Every batch call answers as many items as it was given, in their order; an empty batch does nothing.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { boom, pages } from '../lab.ts';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

export const batches = chapter('batches', (test) => {
  test('an empty batch is answered by an empty one', {}, async ({ engine, call }) => {
    assert.deepEqual(await engine.submit([], call), []);
    assert.deepEqual(await engine.replay([], call), []);
    assert.deepEqual(await engine.extend([], call), []);
    assert.deepEqual(await engine.settle([], call), []);
    assert.deepEqual(await engine.cancel([], call), []);
    assert.deepEqual(await engine.redrive({ ids: [] }, call), []);
    assert.deepEqual(await engine.discard([], call), []);
    assert.deepEqual(await engine.get([], call), []);
    assert.deepEqual(await engine.load([], call), []);
    await engine.publish([], call);
    await engine.audit.append([], call);
    assert.deepEqual((await engine.audit.list({ limit: 1, cursor: null }, call)).items, []);
  });

  test('submit answers in input order across queues', {}, async (lab) => {
    await lab.configure({ maxDepth: 0 }, 'closed');
    const results = await lab.submit({ queue: 'a' }, { queue: 'closed' }, { queue: 'b' }, { queue: 'a' });
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['created', 'full', 'created', 'created'],
    );
    const ids = results.flatMap((result) => (result.outcome === 'created' ? [result.id] : []));
    const queues = (await lab.engine.get(ids, lab.call)).map((task) => task?.queue);
    assert.deepEqual(queues, ['a', 'b', 'a']);
  });

  test('get and load answer null in the place of what is not there', {}, async (lab) => {
    const id = await lab.add();
    const tasks = await lab.engine.get([UNKNOWN, id, UNKNOWN, id], lab.call);
    assert.deepEqual(
      tasks.map((task) => task?.id ?? null),
      [null, id, null, id],
    );
    const loads = await lab.engine.load(['none', 'q', 'none'], lab.call);
    assert.deepEqual(
      loads.map((load) => load?.queue ?? null),
      [null, 'q', null],
    );
  });

  test('settle and extend answer each item for itself', {}, async (lab) => {
    await lab.addMany(3);
    const [a, b, c] = await lab.reserve({ max: 3 });
    assert.ok(a && b && c);
    const stale = { ...b, token: `${b.token}x` };
    const extended = await lab.engine.extend(
      [a, stale, c, { ...a, task: { ...a.task, id: UNKNOWN } }].map(({ task, token }) => ({
        id: task.id,
        token,
        leaseMs: 1000,
      })),
      lab.call,
    );
    assert.deepEqual(extended, ['extended', 'lease_lost', 'extended', 'lease_lost']);
    const settled = await lab.engine.settle(
      [
        lab.settlement(c, { kind: 'succeed', result: null }),
        lab.settlement(stale, { kind: 'succeed', result: null }),
        lab.settlement(a, { kind: 'fail', error: { ...boom, retryable: false } }),
      ],
      lab.call,
    );
    assert.deepEqual(settled, [
      { outcome: 'settled', status: 'succeeded' },
      { outcome: 'lease_lost', status: 'running' },
      { outcome: 'settled', status: 'dead_lettered' },
    ]);
  });

  test('cancel, redrive and discard answer in input order', {}, async (lab) => {
    const dead = await lab.addDead();
    const waiting = await lab.add();
    assert.deepEqual(await lab.engine.cancel([UNKNOWN, waiting, dead], lab.call), [
      'not_found',
      'cancelled',
      'finished',
    ]);
    assert.deepEqual(await lab.engine.discard([UNKNOWN, dead], lab.call), ['not_found', 'discarded']);
    const results = await lab.engine.redrive({ ids: [UNKNOWN, dead] }, lab.call);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['not_found', 'not_found'],
    );
  });

  test('a batch of a thousand is one call', { maxDepth: 2000 }, async (lab) => {
    const ids = await lab.addMany(1000);
    assert.equal(new Set(ids).size, 1000);
    const tasks = await lab.engine.get(ids, lab.call);
    assert.deepEqual(
      tasks.map((task) => task?.id),
      ids,
    );
    const listed = await pages((cursor) => lab.engine.list({ limit: 200, cursor }, lab.call));
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.toReversed(),
    );
  });
});
