// The dead letter queue: bounded, listed newest first, and never emptied in silence.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { assertStatus, eventually, type Lab, pages } from '../lab.ts';

async function dead(lab: Lab, count: number, spec = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    ids.push(await lab.addDead(spec));
    lab.advance(10);
  }
  return ids;
}

async function letters(lab: Lab, about = {}, limit = 3): Promise<string[]> {
  const tasks = await pages((cursor) => lab.engine.listDead({ ...about, limit, cursor }, lab.call));
  return tasks.map(({ id }) => id);
}

export const deadLetters = chapter('dead letters', (test) => {
  test('listed newest first, page by page', {}, async (lab) => {
    const ids = await dead(lab, 8);
    assert.deepEqual(await letters(lab), ids.toReversed());
  });

  test('by time of death, not of birth', {}, async (lab) => {
    await lab.addMany(3);
    const leases = await lab.reserve({ max: 3 });
    for (const lease of leases.toReversed()) {
      await lab.fail(lease, { retryable: false });
      lab.advance(1);
    }
    assert.deepEqual(
      await letters(lab),
      leases.map(({ task }) => task.id),
    );
  });

  test('letters of one moment are listed by id', {}, async (lab) => {
    await lab.addMany(5);
    const leases = await lab.reserve({ max: 5 });
    const settlements = leases
      .toReversed()
      .map((lease) =>
        lab.settlement(lease, { kind: 'fail', error: { name: 'E', message: '', retryable: false } }),
      );
    await lab.engine.settle(settlements, lab.call);
    assert.deepEqual(await letters(lab, {}, 2), leases.map(({ task }) => task.id).reverse());
  });

  test('filtered by queue, type and reason', {}, async (lab) => {
    const [a] = await dead(lab, 1, { queue: 'a', type: 'x' });
    const [b] = await dead(lab, 1, { queue: 'b', type: 'x' });
    const [c] = await dead(lab, 1, { queue: 'b', type: 'y' });
    const e = await lab.add({ queue: 'b', type: 'x', ttlMs: 1 });
    lab.advance(1);
    await lab.expire();
    assert.deepEqual(await letters(lab), [e, c, b, a]);
    assert.deepEqual(await letters(lab, { queue: 'b' }), [e, c, b]);
    assert.deepEqual(await letters(lab, { type: 'x' }), [e, b, a]);
    assert.deepEqual(await letters(lab, { reason: 'expired' }), [e]);
    assert.deepEqual(await letters(lab, { queue: 'b', type: 'x', reason: 'permanent_failure' }), [b]);
    assert.deepEqual(await letters(lab, { queue: 'none' }), []);
  });

  test('full: the oldest is dropped, counted and told, its record stays', { dlqMax: 3 }, async (lab) => {
    const events = await lab.record();
    const ids = await dead(lab, 5);
    assert.deepEqual(await letters(lab), ids.slice(2).reverse());
    const load = await lab.load();
    assert.deepEqual([load.deadLettered, load.dlqDropped, load.totals.dead_lettered], [3, 2, 5]);
    const [first = ''] = ids;
    const task = await lab.get(first);
    assert.deepEqual(
      [task.status, task.inDlq, task.deadLetter?.reason],
      ['dead_lettered', false, 'permanent_failure'],
    );
    await eventually(() => events.filter(({ type }) => type === 'DLQ_DROPPED').length === 2, 'two drops');
    const told = events.filter(({ type }) => type === 'TASK_DEAD_LETTERED' || type === 'DLQ_DROPPED');
    assert.deepEqual(
      told.slice(3).map(({ type, taskId }) => [type, taskId]),
      [
        ['TASK_DEAD_LETTERED', ids[3]],
        ['DLQ_DROPPED', ids[0]],
        ['TASK_DEAD_LETTERED', ids[4]],
        ['DLQ_DROPPED', ids[1]],
      ],
    );
  });

  test('the bound is per queue', { dlqMax: 1 }, async (lab) => {
    const [a] = await dead(lab, 1, { queue: 'a' });
    const [b] = await dead(lab, 1, { queue: 'b' });
    assert.deepEqual(await letters(lab), [b, a]);
  });

  test('dlq_max 0 keeps none, and still counts', { dlqMax: 0 }, async (lab) => {
    const [id = ''] = await dead(lab, 1);
    const load = await lab.load();
    assert.deepEqual([load.deadLettered, load.dlqDropped, load.totals.dead_lettered], [0, 1, 1]);
    await assertStatus(lab, id, 'dead_lettered');
    assert.equal((await lab.get(id)).inDlq, false);
  });

  test('expired and poisoned letters are bounded too', { dlqMax: 2 }, async (lab) => {
    await lab.addMany(5, { ttlMs: 10 });
    lab.advance(10);
    await lab.expire();
    const load = await lab.load();
    assert.deepEqual([load.deadLettered, load.dlqDropped], [2, 3]);
  });

  test('a lowered bound is kept from the next pass on', {}, async (lab) => {
    const ids = await dead(lab, 5);
    await lab.configure({ dlqMax: 2 });
    await lab.engine.cancel([await lab.add()], lab.call);
    assert.equal((await lab.load()).deadLettered, 5, 'only a new letter or a pass drops others');
    await lab.prune();
    assert.deepEqual(await letters(lab), ids.slice(3).reverse());
    assert.equal((await lab.load()).dlqDropped, 3);
  });

  test('discard takes a letter out and keeps the record', {}, async (lab) => {
    const [a = '', b = ''] = await dead(lab, 2);
    assert.deepEqual(await lab.engine.discard([a, a], lab.call), ['discarded', 'not_found']);
    assert.deepEqual(await letters(lab), [b]);
    const task = await lab.get(a);
    assert.deepEqual([task.status, task.inDlq], ['dead_lettered', false]);
    const load = await lab.load();
    assert.deepEqual([load.deadLettered, load.dlqDropped, load.totals.dead_lettered], [1, 0, 2]);
  });

  test('retention takes letters out, then the record has its own time', {
    dlqRetentionS: 60,
    taskRetentionS: 30,
  }, async (lab) => {
    const [id = ''] = await dead(lab, 1);
    lab.advance(60_000 - 11);
    await lab.prune();
    assert.deepEqual(await letters(lab), [id], 'task retention does not touch a letter');
    lab.advance(1);
    await lab.prune();
    assert.deepEqual(await letters(lab), []);
    assert.equal((await lab.load()).dlqDropped, 0, 'retention is no overflow');
    lab.advance(29_999);
    await lab.prune();
    await assertStatus(lab, id, 'dead_lettered');
    lab.advance(1);
    await lab.prune();
    assert.equal(await lab.find(id), null);
  });

  test('a dropped letter’s record has its time from the drop', {
    dlqMax: 1,
    taskRetentionS: 30,
  }, async (lab) => {
    const [id = ''] = await dead(lab, 1);
    lab.advance(100_000);
    await dead(lab, 1);
    lab.advance(29_989);
    await lab.prune();
    await assertStatus(lab, id, 'dead_lettered');
    lab.advance(1);
    await lab.prune();
    assert.equal(await lab.find(id), null);
  });
});
