// Idempotency keys: the same work asked for twice is done once, for as long as the key is held.
import assert from 'node:assert/strict';
import type { NewTask } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { assertStatus, type Lab, START } from '../lab.ts';

const FIRST = '1'.repeat(64);
const OTHER = '2'.repeat(64);
const DAY = 86_400_000;

async function submit(lab: Lab, spec: Partial<NewTask> = {}) {
  const [result] = await lab.submit({ idempotencyKey: 'k', fingerprint: FIRST, ...spec });
  assert.ok(result);
  return result;
}

async function replay(lab: Lab, about: { readonly key?: string; readonly fingerprint?: string } = {}) {
  const query = { queue: 'q', client: 'anonymous', key: 'k', fingerprint: FIRST, ...about };
  const [result] = await lab.engine.replay([query], lab.call);
  return result;
}

export const idempotency = chapter('idempotency', (test) => {
  test('the same key and fingerprint find the first task and its present status', {}, async (lab) => {
    const first = await submit(lab);
    assert.equal(first.outcome, 'created');
    const { id } = first;
    assert.deepEqual(await submit(lab), { outcome: 'duplicate', id, status: 'queued' });
    const lease = await lab.take();
    assert.deepEqual(await submit(lab), { outcome: 'duplicate', id, status: 'running' });
    await lab.succeed(lease);
    assert.deepEqual(await submit(lab), { outcome: 'duplicate', id, status: 'succeeded' });
    assert.equal((await lab.load()).totals.accepted, 1);
  });

  test('another fingerprint under the key is a conflict', {}, async (lab) => {
    const first = await submit(lab);
    assert.equal(first.outcome, 'created');
    assert.deepEqual(await submit(lab, { fingerprint: OTHER }), { outcome: 'conflict', id: first.id });
    assert.equal((await lab.load()).totals.accepted, 1);
  });

  test('inside one batch the first item holds the key for the rest', {}, async (lab) => {
    const keyed = { idempotencyKey: 'k', fingerprint: FIRST };
    const results = await lab.submit(keyed, keyed, { ...keyed, fingerprint: OTHER }, {});
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['created', 'duplicate', 'conflict', 'created'],
    );
  });

  test('concurrent submits of one key make one task', {}, async (lab) => {
    const results = await Promise.all(Array.from({ length: 32 }, () => submit(lab)));
    assert.equal(results.filter(({ outcome }) => outcome === 'created').length, 1);
    assert.equal(new Set(results.map((result) => 'id' in result && result.id)).size, 1);
    assert.equal((await lab.load()).totals.accepted, 1);
  });

  test('the key is scoped by client, queue and key', {}, async (lab) => {
    const outcomes = [
      await submit(lab),
      await submit(lab, { client: 'other' }),
      await submit(lab, { queue: 'other' }),
      await submit(lab, { idempotencyKey: 'K' }),
      await submit(lab, { client: 'an', idempotencyKey: 'onymousk' }),
      await submit(lab, { client: '', idempotencyKey: 'anonymousk' }),
    ];
    assert.ok(outcomes.every(({ outcome }) => outcome === 'created'));
  });

  test('a replay is answered before any bound', { maxDepth: 1 }, async (lab) => {
    const first = await submit(lab);
    assert.equal(first.outcome, 'created');
    assert.equal((await submit(lab, { idempotencyKey: 'k2' })).outcome, 'full');
    assert.equal((await submit(lab)).outcome, 'duplicate');
    assert.equal((await submit(lab, { fingerprint: OTHER })).outcome, 'conflict');
    await lab.configure({ maxDepth: 0, maxBytes: 1, tenantMaxDepth: 1 });
    assert.equal((await submit(lab)).outcome, 'duplicate');
  });

  test('a refused submit does not claim the key', { maxDepth: 0 }, async (lab) => {
    assert.equal((await submit(lab)).outcome, 'full');
    await lab.configure({ maxDepth: 1 });
    assert.equal((await submit(lab, { fingerprint: OTHER })).outcome, 'created');
  });

  test('replay looks without claiming', {}, async (lab) => {
    assert.equal(await replay(lab), null);
    const first = await submit(lab);
    assert.equal(first.outcome, 'created');
    const { id } = first;
    assert.deepEqual(await replay(lab), { outcome: 'duplicate', id, status: 'queued' });
    assert.deepEqual(await replay(lab, { fingerprint: OTHER }), { outcome: 'conflict', id });
    assert.equal(await replay(lab, { key: 'x' }), null);
  });

  test('the key lapses when its time is over and the task has ended', {}, async (lab) => {
    const until = START + 1_000;
    const first = await submit(lab, { keyHeldUntil: until });
    const lease = await lab.take();
    lab.at = until + 5_000;
    assert.equal((await submit(lab)).outcome, 'duplicate', 'held by the running task');
    await lab.succeed(lease);
    const second = await submit(lab, { fingerprint: OTHER, keyHeldUntil: lab.at + DAY });
    assert.equal(second.outcome, 'created');
    assert.notDeepEqual(second, first);
    assert.equal((await submit(lab, { fingerprint: OTHER })).outcome, 'duplicate');
    assert.equal((await submit(lab)).outcome, 'conflict');
  });

  test('the key is held up to its time, that time excluded', {}, async (lab) => {
    await submit(lab, { keyHeldUntil: START + 1_000 });
    await lab.succeed(await lab.take());
    lab.at = START + 999;
    assert.equal((await submit(lab)).outcome, 'duplicate');
    lab.at = START + 1_000;
    assert.equal((await submit(lab)).outcome, 'created');
  });

  test('a held key outlives its pruned record with the last status', { taskRetentionS: 10 }, async (lab) => {
    const first = await submit(lab, { keyHeldUntil: START + DAY });
    assert.equal(first.outcome, 'created');
    const { id } = first;
    await lab.succeed(await lab.take());
    lab.advance(60_000);
    await lab.prune();
    assert.equal(await lab.find(id), null);
    assert.deepEqual(await submit(lab), { outcome: 'duplicate', id, status: 'succeeded' });
    lab.at = START + DAY;
    await lab.prune();
    assert.equal(await replay(lab), null);
    assert.equal((await submit(lab)).outcome, 'created');
  });

  test('a redriven task holds its key again', {}, async (lab) => {
    const id = await lab.addDead({ idempotencyKey: 'k', fingerprint: FIRST, keyHeldUntil: START + 1_000 });
    lab.advance(5_000);
    await lab.engine.redrive({ ids: [id] }, lab.call);
    assert.deepEqual(await submit(lab), { outcome: 'duplicate', id, status: 'queued' });
    await lab.succeed(await lab.take());
    assert.equal((await submit(lab)).outcome, 'created');
  });

  test('a key taken over does not come back to its first task', {}, async (lab) => {
    const id = await lab.addDead({ idempotencyKey: 'k', fingerprint: FIRST, keyHeldUntil: START + 1_000 });
    lab.advance(5_000);
    const second = await submit(lab, { keyHeldUntil: lab.at + DAY });
    assert.equal(second.outcome, 'created');
    await lab.engine.redrive({ ids: [id] }, lab.call);
    const again = await submit(lab);
    assert.equal('id' in again && again.id, second.id);
    await assertStatus(lab, id, 'queued');
  });

  test('work without a key is never a duplicate', {}, async (lab) => {
    const results = await lab.submit({}, {}, { fingerprint: FIRST });
    assert.ok(results.every(({ outcome }) => outcome === 'created'));
  });
});
