// Redrive: a dead letter becomes new work of the same id, through admission, in a new generation.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { boom, START } from '../lab.ts';

export const redrive = chapter('redrive', (test) => {
  test('a new generation: figures at nought, history kept, time to live anew', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 60_000, maxAttempts: 2 });
    await lab.fail(await lab.take(), { retryDelayMs: 0 });
    await lab.promote();
    await lab.fail(await lab.take());
    lab.advance(100_000);
    const results = await lab.engine.redrive({ ids: [id] }, lab.call);
    assert.deepEqual(results, [{ outcome: 'redriven', generation: 2 }]);
    const task = await lab.get(id);
    assert.deepEqual(
      [task.status, task.generation, task.attempt, task.deliveries, task.leaseLosses],
      ['queued', 2, 0, 0, 0],
    );
    assert.deepEqual([task.availableAt, task.expiresAt], [lab.at, lab.at + 60_000]);
    assert.deepEqual([task.finishedAt, task.deadLetter, task.inDlq], [null, null, false]);
    assert.deepEqual([task.createdAt, task.startedAt, task.lastError], [START, START, boom]);
    assert.equal(task.attempts.length, 2);
  });

  test('it leaves the DLQ and is counted as redriven', {}, async (lab) => {
    const id = await lab.addDead({ payload: '"abc"', priority: 8 });
    await lab.engine.redrive({ ids: [id] }, lab.call);
    const load = await lab.load();
    assert.deepEqual([load.deadLettered, load.queued, load.bytes, load.byPriority[8]], [0, 1, 7, 1]);
    assert.deepEqual([load.totals.redriven, load.totals.dead_lettered, load.totals.accepted], [1, 1, 1]);
    const page = await lab.engine.listDead({ limit: 10, cursor: null }, lab.call);
    assert.deepEqual(page.items, []);
  });

  test('it has all its attempts again', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 1 });
    await lab.fail(await lab.take());
    await lab.engine.redrive({ ids: [id] }, lab.call);
    await lab.fail(await lab.take());
    const task = await lab.get(id);
    assert.deepEqual([task.status, task.attempt, task.generation], ['dead_lettered', 1, 2]);
    assert.deepEqual(
      task.attempts.map(({ attempt }) => attempt),
      [1, 1],
    );
    assert.equal((await lab.load()).totals.dead_lettered, 2);
  });

  test('only letters can be redriven', {}, async (lab) => {
    const done = await lab.add();
    await lab.succeed(await lab.take());
    const discarded = await lab.addDead();
    await lab.engine.discard([discarded], lab.call);
    const waiting = await lab.add();
    const results = await lab.engine.redrive({ ids: [done, waiting, discarded] }, lab.call);
    assert.deepEqual(
      results,
      [1, 2, 3].map(() => ({ outcome: 'not_found' })),
    );
  });

  test('twice in a batch is redriven once', {}, async (lab) => {
    const id = await lab.addDead();
    const results = await lab.engine.redrive({ ids: [id, id] }, lab.call);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['redriven', 'not_found'],
    );
  });

  test('the bounds hold item by item', { maxDepth: 2 }, async (lab) => {
    const dead = [await lab.addDead(), await lab.addDead()];
    await lab.add();
    const results = await lab.engine.redrive({ ids: dead }, lab.call);
    assert.deepEqual(results, [
      { outcome: 'redriven', generation: 2 },
      { outcome: 'full', limitName: 'max_depth', depth: 2, limit: 2 },
    ]);
    const [, refused = ''] = dead;
    const task = await lab.get(refused);
    assert.deepEqual([task.status, task.generation, task.inDlq], ['dead_lettered', 1, true]);
    assert.equal((await lab.load()).totals.redriven, 1);
  });

  test('bytes, tenant share and reserved share bind it too', {}, async (lab) => {
    const id = await lab.addDead({ payload: '"abc"', tenant: 'a', priority: 1 });
    const limit = async () => {
      const [result] = await lab.engine.redrive({ ids: [id] }, lab.call);
      return result?.outcome === 'full' ? result.limitName : result?.outcome;
    };
    await lab.configure({ maxBytes: 6 });
    assert.equal(await limit(), 'max_bytes');
    await lab.configure({ maxBytes: 100, tenantMaxDepth: 0 });
    assert.equal(await limit(), 'tenant_full');
    await lab.configure({ tenantMaxDepth: 5, reservedShare: { minPriority: 5, share: 1 } });
    assert.equal(await limit(), 'reserved_share');
    await lab.configure({ reservedShare: { minPriority: 5, share: 0 }, maxScheduled: 0 });
    assert.equal(await limit(), 'redriven');
  });

  test('the token runs on and an old one stays dead', {}, async (lab) => {
    const id = await lab.add();
    const old = await lab.take();
    await lab.fail(old, { retryable: false });
    await lab.engine.redrive({ ids: [id] }, lab.call);
    const fresh = await lab.take();
    assert.match(fresh.token, /^2\./);
    assert.deepEqual(await lab.settle(old, { kind: 'succeed', result: null }), {
      outcome: 'already_settled',
      status: 'running',
    });
    await lab.succeed(fresh);
  });

  test('an expired letter gets its whole time to live again', {}, async (lab) => {
    const id = await lab.add({ ttlMs: 1_000 });
    lab.advance(5_000);
    await lab.expire();
    await lab.engine.redrive({ ids: [id] }, lab.call);
    lab.advance(999);
    assert.equal((await lab.take()).task.id, id);
  });

  test('progress and the unknown type of before are forgotten', {}, async (lab) => {
    await lab.configure({ unknownTypeMaxMs: 0 });
    const id = await lab.add();
    const lease = await lab.take();
    const progress = { percent: 5, message: 'x' };
    await lab.engine.extend([{ id, token: lease.token, leaseMs: 1_000, progress }], lab.call);
    await lab.end(lease, { kind: 'unknown_type' });
    assert.equal((await lab.get(id)).deadLetter?.reason, 'unknown_type');
    await lab.engine.redrive({ ids: [id] }, lab.call);
    const task = await lab.get(id);
    assert.deepEqual([task.progress, task.unknownSince], [null, null]);
  });
});
