// Promote: delayed and retrying work becomes due, earliest first, in bounded passes.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { START } from '../lab.ts';

export const promote = chapter('promote', (test) => {
  test('nothing is promoted or handed out before it is due', {}, async (lab) => {
    const id = await lab.add({ runAt: START + 1_000 });
    lab.advance(999);
    assert.deepEqual(await lab.promote(), { done: 0, nextAt: START + 1_000 });
    assert.deepEqual(await lab.reserve(), []);
    lab.advance(1);
    assert.deepEqual(await lab.reserve(), [], 'due, but not promoted yet');
    assert.deepEqual(await lab.promote(), { done: 1, nextAt: null });
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.availableAt], ['queued', START + 1_000]);
    assert.equal((await lab.take()).task.id, id);
  });

  test('a retry is promoted when its delay is over', {}, async (lab) => {
    const id = await lab.add();
    await lab.fail(await lab.take(), { retryDelayMs: 700 });
    lab.advance(699);
    assert.equal((await lab.promote()).done, 0);
    lab.advance(1);
    assert.equal((await lab.promote()).done, 1);
    assert.equal((await lab.take()).task.id, id);
  });

  test('earliest due first, ties by id', {}, async (lab) => {
    const late = await lab.add({ runAt: START + 300 });
    const early = await lab.add({ runAt: START + 100 });
    const twin = await lab.add({ runAt: START + 100 });
    const middle = await lab.add({ runAt: START + 200 });
    lab.advance(1_000);
    await lab.promote();
    assert.deepEqual(await lab.drainIds(), [early, twin, middle, late]);
  });

  test('bounded by the limit, and tells what is left', {}, async (lab) => {
    for (let i = 1; i <= 5; i += 1) await lab.add({ runAt: START + i });
    lab.advance(10);
    assert.deepEqual(await lab.promote(2), { done: 2, nextAt: START + 3 });
    assert.deepEqual(await lab.promote(2), { done: 2, nextAt: START + 5 });
    assert.deepEqual(await lab.promote(2), { done: 1, nextAt: null });
  });

  test('counters and bytes follow', {}, async (lab) => {
    await lab.add({ runAt: START + 1, priority: 3, payload: '"abc"' });
    const before = await lab.load();
    assert.deepEqual([before.scheduled, before.queued, before.bytes], [1, 0, 7]);
    lab.advance(1);
    await lab.promote();
    const after = await lab.load();
    assert.deepEqual([after.scheduled, after.queued, after.bytes, after.byPriority[3]], [0, 1, 7, 1]);
  });

  test('all queues in one pass', {}, async (lab) => {
    await lab.add({ queue: 'a', runAt: START + 2 });
    await lab.add({ queue: 'b', runAt: START + 1 });
    lab.advance(2);
    assert.equal((await lab.promote()).done, 2);
    assert.deepEqual([(await lab.load('a')).queued, (await lab.load('b')).queued], [1, 1]);
  });

  test('a paused queue is promoted all the same', {}, async (lab) => {
    await lab.add({ runAt: START + 1 });
    await lab.pause();
    lab.advance(1);
    assert.equal((await lab.promote()).done, 1);
  });

  test('two promoters never promote one task twice', {}, async (lab) => {
    for (let i = 0; i < 40; i += 1) await lab.add({ runAt: START + 1 });
    lab.advance(1);
    const replies = await Promise.all([lab.promote(), lab.promote(), lab.promote()]);
    assert.equal(
      replies.reduce((sum, { done }) => sum + done, 0),
      40,
    );
    assert.equal((await lab.load()).queued, 40);
  });
});
