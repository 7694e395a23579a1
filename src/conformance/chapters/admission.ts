// Count admission: the bounds that only a store can hold exactly, checked task by task inside the submit.
import assert from 'node:assert/strict';
import type { NewTask } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { START } from '../lab.ts';

const outcomes = (results: readonly { readonly outcome: string }[]) => results.map(({ outcome }) => outcome);

export const admission = chapter('admission', (test) => {
  test('depth = queued + running stops at max_depth', { maxDepth: 3 }, async (lab) => {
    assert.deepEqual(outcomes(await lab.submit({}, {}, {}, {})), ['created', 'created', 'created', 'full']);
    const lease = await lab.take();
    assert.deepEqual(await lab.submit({}), [{ outcome: 'full', limitName: 'max_depth', depth: 3, limit: 3 }]);
    await lab.succeed(lease);
    assert.deepEqual(outcomes(await lab.submit({}, {})), ['created', 'full']);
    const { queued, running, totals } = await lab.load();
    assert.deepEqual([queued, running, totals.accepted], [3, 0, 4]);
  });

  test('max_depth 0 closes the intake', { maxDepth: 0 }, async (lab) => {
    assert.deepEqual(await lab.submit({}), [{ outcome: 'full', limitName: 'max_depth', depth: 0, limit: 0 }]);
  });

  test('concurrent submitters never pass the bound', { maxDepth: 25 }, async (lab) => {
    const calls = Array.from({ length: 64 }, () => lab.submit({}, {}));
    const results = (await Promise.all(calls)).flat();
    assert.equal(results.filter(({ outcome }) => outcome === 'created').length, 25);
    assert.equal((await lab.load()).queued, 25);
  });

  test('promotion, retry and release pass the bound', { maxDepth: 1 }, async (lab) => {
    await lab.add({ runAt: START + 10 });
    await lab.add();
    lab.advance(10);
    assert.equal((await lab.promote()).done, 1);
    assert.equal((await lab.load()).queued, 2);
    await lab.end(await lab.take(), { kind: 'release' });
    await lab.fail(await lab.take(), { retryDelayMs: 0 });
    assert.equal((await lab.promote()).done, 1);
    assert.equal((await lab.load()).queued, 2);
    assert.equal((await lab.submit({}))[0]?.outcome, 'full');
  });

  test('a limit may be lowered below the depth and raised again', { maxDepth: 5 }, async (lab) => {
    await lab.addMany(4);
    await lab.configure({ maxDepth: 2 });
    assert.deepEqual(await lab.submit({}), [{ outcome: 'full', limitName: 'max_depth', depth: 4, limit: 2 }]);
    await lab.configure({ maxDepth: 6 });
    assert.deepEqual(outcomes(await lab.submit({}, {}, {})), ['created', 'created', 'full']);
  });

  test('queues have bounds of their own', { maxDepth: 1 }, async (lab) => {
    const results = await lab.submit({ queue: 'a' }, { queue: 'b' }, { queue: 'a' }, { queue: 'b' });
    assert.deepEqual(outcomes(results), ['created', 'created', 'full', 'full']);
  });

  test('max_scheduled counts scheduled and retrying, and only delayed work', {
    maxScheduled: 2,
  }, async (lab) => {
    const later = { runAt: START + 1_000 };
    await lab.add(later);
    await lab.add();
    await lab.fail(await lab.take(), { retryDelayMs: 5_000 });
    assert.deepEqual(await lab.submit(later), [
      { outcome: 'full', limitName: 'max_scheduled', depth: 2, limit: 2 },
    ]);
    assert.deepEqual(outcomes(await lab.submit({}, {})), ['created', 'created']);
    await lab.fail(await lab.take(), { retryDelayMs: 5_000 });
    assert.equal((await lab.load()).retrying, 2, 'a retry is never refused');
  });

  test('delayed work is outside the depth and the tenant depth', {
    maxDepth: 1,
    tenantMaxDepth: 1,
  }, async (lab) => {
    const later = { runAt: START + 1_000 };
    assert.deepEqual(outcomes(await lab.submit(later, later, {}, later, {})), [
      'created',
      'created',
      'created',
      'created',
      'tenant_full',
    ]);
  });

  test('max_bytes counts payload and metadata of all unfinished tasks', { maxBytes: 30 }, async (lab) => {
    await lab.add({ payload: '"12345678"' });
    await lab.add({ payload: '"12345678"', runAt: START + 9 });
    const [refused] = await lab.submit({ payload: '"1234567"' });
    assert.deepEqual(refused, { outcome: 'full', limitName: 'max_bytes', depth: 24, limit: 30 });
    assert.deepEqual(outcomes(await lab.submit({ payload: '1234' })), ['created']);
    assert.equal((await lab.load()).bytes, 30);
    await lab.succeed(await lab.take());
    assert.equal((await lab.load()).bytes, 18);
    await lab.addDead({ payload: '12345', priority: 9 });
    assert.equal((await lab.load()).bytes, 18, 'a dead letter is finished');
  });

  test('a tenant has its own depth', { tenantMaxDepth: 2 }, async (lab) => {
    const a = { tenant: 'a' };
    await lab.add(a);
    await lab.add({ tenant: 'b' });
    const lease = await lab.take();
    assert.equal(lease.task.tenant, 'a');
    await lab.add(a);
    assert.deepEqual(await lab.submit(a), [{ outcome: 'tenant_full', depth: 2, limit: 2 }]);
    assert.deepEqual(outcomes(await lab.submit({ tenant: 'b' }, { tenant: '' })), ['created', 'created']);
    await lab.succeed(lease);
    assert.deepEqual(outcomes(await lab.submit(a, a)), ['created', 'tenant_full']);
  });

  test('the last places are kept for high priorities', {
    maxDepth: 10,
    reservedShare: { minPriority: 7, share: 0.25 },
  }, async (lab) => {
    await lab.addMany(8, { priority: 6 });
    const reserved = { outcome: 'full', limitName: 'reserved_share', depth: 8, limit: 8 };
    assert.deepEqual(await lab.submit({ priority: 6 }, { priority: 0 }), [reserved, reserved]);
    assert.deepEqual(outcomes(await lab.submit({ priority: 7 }, { priority: 9 })), ['created', 'created']);
    assert.deepEqual(await lab.submit({ priority: 9 }, { priority: 1 }), [
      { outcome: 'full', limitName: 'max_depth', depth: 10, limit: 10 },
      { outcome: 'full', limitName: 'max_depth', depth: 10, limit: 10 },
    ]);
  });

  test('the first bound hit answers: max_scheduled or tenant, bytes, depth, reserved share', {
    maxDepth: 2,
    maxScheduled: 1,
    maxBytes: 10,
    tenantMaxDepth: 1,
    reservedShare: { minPriority: 5, share: 0.5 },
  }, async (lab) => {
    const limitOf = async (spec: Partial<NewTask>) => {
      const [result] = await lab.submit(spec);
      return result?.outcome === 'full' ? result.limitName : result?.outcome;
    };
    const big = '"123456789"';
    assert.equal(await limitOf({ tenant: 'a' }), 'created');
    assert.equal(await limitOf({ tenant: 'b', priority: 4 }), 'reserved_share');
    assert.equal(await limitOf({ tenant: 'b', priority: 4, payload: big }), 'max_bytes');
    assert.equal(await limitOf({ tenant: 'a', payload: big }), 'tenant_full');
    assert.equal(await limitOf({ tenant: 'b', payload: '12', metadata: '{}' }), 'created');
    assert.equal(await limitOf({ tenant: 'c', payload: '', metadata: '{}' }), 'max_depth');
    assert.equal(await limitOf({ tenant: 'c', payload: big, runAt: START + 1 }), 'max_bytes');
    assert.equal(await limitOf({ tenant: 'c', payload: '', metadata: '', runAt: START + 1 }), 'created');
    assert.equal(await limitOf({ tenant: 'c', payload: big, runAt: START + 1 }), 'max_scheduled');
  });

  test('a refusal leaves nothing', { maxDepth: 1 }, async (lab) => {
    await lab.add();
    const before = await lab.load();
    const spec = lab.task({ idempotencyKey: 'k' });
    const [refused] = await lab.engine.submit([spec], lab.call);
    assert.equal(refused?.outcome, 'full');
    assert.deepEqual(await lab.load(), before);
    const query = { queue: 'q', client: 'anonymous', key: 'k', fingerprint: spec.fingerprint ?? '' };
    assert.deepEqual(await lab.engine.replay([query], lab.call), [null]);
    assert.equal((await lab.engine.list({ limit: 10, cursor: null }, lab.call)).items.length, 1);
  });
});
