// Listings: newest first, by keyset cursors that stay right while the world moves.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { assertRefused, type Lab, pages } from '../lab.ts';

async function listed(lab: Lab, about = {}, limit = 3): Promise<string[]> {
  const tasks = await pages((cursor) => lab.engine.list({ ...about, limit, cursor }, lab.call));
  return tasks.map(({ id }) => id);
}

export const listing = chapter('listing', (test) => {
  test('newest first, page by page, each once', {}, async (lab) => {
    const ids = await lab.addMany(10);
    for (const limit of [1, 3, 5, 10, 200]) assert.deepEqual(await listed(lab, {}, limit), ids.toReversed());
  });

  test('never more than limit on a page', {}, async (lab) => {
    await lab.addMany(10);
    const page = await lab.engine.list({ limit: 4, cursor: null }, lab.call);
    assert.equal(page.items.length, 4);
    assert.notEqual(page.next, null);
  });

  test('filters combine', {}, async (lab) => {
    const a = await lab.add({ queue: 'a', type: 'x', tenant: '1' });
    const b = await lab.add({ queue: 'a', type: 'y', tenant: '1' });
    const c = await lab.add({ queue: 'b', type: 'x', tenant: '2' });
    const d = await lab.add({ queue: 'a', type: 'x', tenant: '2' });
    await lab.engine.cancel([d], lab.call);
    assert.deepEqual(await listed(lab, { queue: 'a' }), [d, b, a]);
    assert.deepEqual(await listed(lab, { type: 'x' }), [d, c, a]);
    assert.deepEqual(await listed(lab, { tenant: '2' }), [d, c]);
    assert.deepEqual(await listed(lab, { status: 'cancelled' }), [d]);
    assert.deepEqual(await listed(lab, { queue: 'a', type: 'x', tenant: '1', status: 'queued' }), [a]);
    assert.deepEqual(await listed(lab, { queue: 'a', type: 'x', tenant: '1', status: 'running' }), []);
    assert.deepEqual(await listed(lab, { tenant: '' }), []);
  });

  test('a rare match is found behind many others', { maxDepth: 1_000 }, async (lab) => {
    const rare = await lab.add({ type: 'rare' });
    await lab.addMany(500);
    assert.deepEqual(await listed(lab, { type: 'rare' }, 10), [rare]);
  });

  test('what comes in between does not disturb the pages that follow', {}, async (lab) => {
    const ids = await lab.addMany(6);
    const first = await lab.engine.list({ limit: 3, cursor: null }, lab.call);
    const [oldest = '', , third = ''] = ids;
    await lab.addMany(3);
    await lab.engine.cancel([oldest, third], lab.call);
    const rest = await pages((cursor) =>
      lab.engine.list({ limit: 3, cursor: cursor ?? first.next }, lab.call),
    );
    assert.deepEqual(
      [...first.items, ...rest].map(({ id }) => id),
      ids.toReversed(),
    );
  });

  test('a cursor whose task was pruned still stands', { taskRetentionS: 1 }, async (lab) => {
    const ids = await lab.addMany(4);
    const [a, b, c, d] = ids;
    const first = await lab.engine.list({ limit: 2, cursor: null }, lab.call);
    await lab.engine.cancel([c ?? '', d ?? ''], lab.call);
    lab.advance(1_000);
    await lab.prune();
    const second = await lab.engine.list({ limit: 2, cursor: first.next }, lab.call);
    assert.deepEqual(
      second.items.map(({ id }) => id),
      [b, a],
    );
  });

  test('queue names in order, page by page', {}, async (lab) => {
    const names = ['b', 'a', 'c-10', 'c-2', 'aa', 'a.b', 'a_b', 'a-b'];
    for (const queue of names) await lab.add({ queue });
    for (const limit of [1, 3, 8, 100]) {
      const found = await pages((cursor) => lab.engine.queues({ limit, cursor }, lab.call));
      assert.deepEqual(found, names.toSorted());
    }
  });

  test('a configured or paused queue is listed too', {}, async (lab) => {
    await lab.configure({ maxDepth: 5 }, 'configured');
    await lab.pause('paused');
    await lab.submit({ queue: 'none', payload: 'x', bytes: 10 ** 12, runAt: null });
    const found = await pages((cursor) => lab.engine.queues({ limit: 10, cursor }, lab.call));
    assert.deepEqual(found, ['configured', 'none', 'paused']);
  });

  test('an invalid cursor is refused', {}, async (lab) => {
    await lab.addMany(3);
    await lab.addDead({ priority: 9 });
    await lab.addDead({ priority: 9 });
    const { engine, call } = lab;
    for (const cursor of ['', 'x', '[]', '{}', 'null', '["a",1,"b"]', '\u0000', 'ä'.repeat(1_000)]) {
      await assertRefused(engine.list({ limit: 1, cursor }, call), 'INVALID_CURSOR');
      await assertRefused(engine.listDead({ limit: 1, cursor }, call), 'INVALID_CURSOR');
      await assertRefused(engine.queues({ limit: 1, cursor }, call), 'INVALID_CURSOR');
      await assertRefused(engine.audit.list({ limit: 1, cursor }, call), 'INVALID_CURSOR');
    }
  });

  test('a cursor belongs to its listing and its filters', {}, async (lab) => {
    await lab.addMany(3);
    await lab.addDead({ priority: 9 });
    await lab.addDead({ priority: 9 });
    await lab.add({ queue: 'other' });
    const { engine, call } = lab;
    const entry = { at: lab.at, principal: 'p', action: 'a', queue: null, target: null, details: {} };
    await engine.audit.append([entry, entry], call);
    const of = {
      list: (await engine.list({ limit: 1, cursor: null }, call)).next,
      filtered: (await engine.list({ limit: 1, cursor: null, queue: 'q' }, call)).next,
      dead: (await engine.listDead({ limit: 1, cursor: null }, call)).next,
      queues: (await engine.queues({ limit: 1, cursor: null }, call)).next,
      audit: (await engine.audit.list({ limit: 1, cursor: null }, call)).next,
    };
    assert.ok(Object.values(of).every((cursor) => typeof cursor === 'string'));
    const { list, filtered, dead, queues, audit } = of;
    for (const cursor of [filtered, dead, queues, audit]) {
      await assertRefused(engine.list({ limit: 1, cursor }, call), 'INVALID_CURSOR');
    }
    for (const cursor of [list, filtered, queues, audit]) {
      await assertRefused(engine.listDead({ limit: 1, cursor }, call), 'INVALID_CURSOR');
    }
    for (const cursor of [list, dead, audit]) {
      await assertRefused(engine.queues({ limit: 1, cursor }, call), 'INVALID_CURSOR');
    }
    for (const cursor of [list, dead, queues]) {
      await assertRefused(engine.audit.list({ limit: 1, cursor }, call), 'INVALID_CURSOR');
    }
    await assertRefused(engine.list({ limit: 1, cursor: list, type: 't' }, call), 'INVALID_CURSOR');
  });
});
