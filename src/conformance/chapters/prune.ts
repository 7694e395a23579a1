// Prune: what has ended is kept for its time and then goes, in bounded passes; counters remember.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { assertStatus, pages } from '../lab.ts';

export const prune = chapter('prune', (test) => {
  test('a record goes when its retention is over', { taskRetentionS: 60 }, async (lab) => {
    const done = await lab.add();
    await lab.succeed(await lab.take());
    const cancelled = await lab.add();
    await lab.engine.cancel([cancelled], lab.call);
    lab.advance(59_999);
    await lab.prune();
    await assertStatus(lab, done, 'succeeded');
    lab.advance(1);
    await lab.prune();
    assert.deepEqual(await lab.engine.get([done, cancelled], lab.call), [null, null]);
    const listed = await pages((cursor) => lab.engine.list({ limit: 10, cursor }, lab.call));
    assert.deepEqual(listed, []);
    const { totals } = await lab.load();
    assert.deepEqual([totals.accepted, totals.succeeded, totals.cancelled], [2, 1, 1]);
  });

  test('a result goes before its record', { resultRetentionS: 10, taskRetentionS: 60 }, async (lab) => {
    const id = await lab.add();
    await lab.succeed(await lab.take(), '{"a":1}');
    lab.advance(9_999);
    await lab.prune();
    assert.equal((await lab.get(id)).result, '{"a":1}');
    lab.advance(1);
    await lab.prune();
    const task = await lab.get(id);
    assert.deepEqual([task.result, task.status], [null, 'succeeded']);
  });

  test('what has not ended is never pruned', { taskRetentionS: 1, resultRetentionS: 1 }, async (lab) => {
    const retrying = await lab.add();
    await lab.fail(await lab.take(), { retryDelayMs: 10 ** 12 });
    const running = await lab.add();
    await lab.take({ leaseMs: 10 ** 12 });
    const queued = await lab.add();
    const scheduled = await lab.add({ runAt: lab.at + 10 ** 12 });
    lab.advance(10 ** 11);
    await lab.prune();
    const tasks = await lab.engine.get([retrying, running, queued, scheduled], lab.call);
    assert.deepEqual(
      tasks.map((task) => task?.status),
      ['retrying', 'running', 'queued', 'scheduled'],
    );
  });

  test('each pass is bounded, and says so', { taskRetentionS: 10 }, async (lab) => {
    await lab.addMany(25);
    for (const lease of await lab.reserve({ max: 25 })) await lab.succeed(lease);
    lab.advance(10_000);
    const before = (await lab.engine.list({ limit: 200, cursor: null }, lab.call)).items.length;
    const { done } = await lab.engine.prune(10, lab.call);
    assert.ok(done <= 10);
    const after = (await lab.engine.list({ limit: 200, cursor: null }, lab.call)).items.length;
    assert.ok(before - after <= 10);
    await lab.prune(10);
    assert.equal((await lab.engine.list({ limit: 200, cursor: null }, lab.call)).items.length, 0);
    assert.equal((await lab.engine.prune(10, lab.call)).done, 0);
  });

  test('it says when the next record comes due', {
    taskRetentionS: 60,
    resultRetentionS: 60,
  }, async (lab) => {
    await lab.add();
    await lab.succeed(await lab.take());
    const { nextAt } = await lab.engine.prune(100, lab.call);
    assert.ok(nextAt !== null && nextAt <= lab.at + 60_000);
  });

  test('the files of the records that go are told, each once', { taskRetentionS: 10 }, async (lab) => {
    const file = (path: string) => ({ name: 'n', contentType: 't', bytes: 1, sha256: '0'.repeat(64), path });
    const ids = [
      await lab.add({ input: file('a/1') }),
      await lab.add(),
      await lab.add({ input: file('b/2') }),
    ];
    const kept = await lab.add({ input: file('c/3') });
    await lab.engine.cancel(ids, lab.call);
    assert.deepEqual(await lab.prune(), []);
    lab.advance(10_000);
    assert.deepEqual((await lab.prune(1)).sort(), ['a/1', 'b/2']);
    await lab.engine.purge('q', lab.call);
    lab.advance(10_000);
    assert.deepEqual(await lab.prune(1), ['c/3'], 'purged records have files too');
    assert.equal(await lab.find(kept), null);
    assert.deepEqual(await lab.prune(), []);
  });

  test('retention is read when the pass runs', { taskRetentionS: 1_000 }, async (lab) => {
    const id = await lab.add();
    await lab.succeed(await lab.take());
    lab.advance(20_000);
    await lab.prune();
    await assertStatus(lab, id, 'succeeded');
    await lab.configure({ taskRetentionS: 20 });
    await lab.prune();
    assert.equal(await lab.find(id), null);
  });

  test('each queue has its own retention', {}, async (lab) => {
    await lab.configure({ taskRetentionS: 1 }, 'short');
    await lab.configure({ taskRetentionS: 100 }, 'long');
    const short = await lab.add({ queue: 'short' });
    const long = await lab.add({ queue: 'long' });
    await lab.engine.cancel([short, long], lab.call);
    lab.advance(1_000);
    await lab.prune();
    assert.equal(await lab.find(short), null);
    await assertStatus(lab, long, 'cancelled');
  });
});
