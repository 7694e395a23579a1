// Leases and fencing: one living lease per task, a token that rises, and nothing changed by a stale one.
import assert from 'node:assert/strict';
import type { Lease } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { assertStatus, type Lab } from '../lab.ts';

function tokenNumber(lease: Pick<Lease, 'token'>): number {
  const [number = ''] = lease.token.split('.');
  return Number(number);
}

async function extend(lab: Lab, { task, token }: Lease, leaseMs = 5_000) {
  const [result] = await lab.engine.extend([{ id: task.id, token, leaseMs }], lab.call);
  return result;
}

export const leases = chapter('leases', (test) => {
  test('a lease carries the running task, its end and the settle policy', {}, async (lab) => {
    const id = await lab.add({ payload: '{"x":1}' });
    await lab.configure({ leaseMs: 45_000, maxLeaseLosses: 7, deadLetter: false });
    lab.advance(10);
    const lease = await lab.take({ nonce: 'secret' });
    assert.equal(lease.token, '1.secret');
    assert.equal(lease.until, lab.at + 45_000);
    assert.equal(lease.task.status, 'running');
    assert.equal(lease.task.startedAt, lab.at);
    assert.deepEqual(lease.task, await lab.get(id));
    assert.deepEqual(lease.policy, {
      deadLetter: false,
      deadLetterOnExpiry: true,
      maxLeaseLosses: 7,
      unknownTypeMaxMs: 3_600_000,
    });
  });

  test('the request may ask for its own lease time', {}, async (lab) => {
    await lab.add();
    assert.equal((await lab.take({ leaseMs: 777 })).until, lab.at + 777);
  });

  test('a leased task is not handed out again', {}, async (lab) => {
    await lab.addMany(2);
    await lab.reserve({ max: 2 });
    lab.advance(1_000_000);
    assert.deepEqual(await lab.reserve({ max: 2 }), []);
  });

  test('the token rises with every delivery, also over a redrive', {}, async (lab) => {
    const id = await lab.add();
    const numbers: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const lease = await lab.take();
      numbers.push(tokenNumber(lease));
      await lab.end(lease, { kind: 'release' });
    }
    const dying = await lab.take();
    numbers.push(tokenNumber(dying));
    await lab.fail(dying, { retryable: false });
    await lab.engine.redrive({ ids: [id] }, lab.call);
    numbers.push(tokenNumber(await lab.take()));
    assert.deepEqual(numbers, [1, 2, 3, 4, 5]);
  });

  test('a stale token changes nothing', {}, async (lab) => {
    const id = await lab.add();
    const old = await lab.take();
    lab.advance(60_000);
    await lab.reapAll();
    const fresh = await lab.take();
    const before = await lab.get(id);
    const load = await lab.load();
    assert.equal(await extend(lab, old), 'lease_lost');
    for (const outcome of [
      { kind: 'succeed', result: '"late"' },
      { kind: 'release' },
      { kind: 'defer', delayMs: 5 },
    ] as const) {
      assert.deepEqual(await lab.settle(old, outcome), { outcome: 'lease_lost', status: 'running' });
    }
    assert.deepEqual(await lab.get(id), before);
    assert.deepEqual(await lab.load(), load);
    await lab.succeed(fresh);
  });

  test('a guessed nonce or a number alone is not a token', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take({ nonce: 'abc' });
    for (const token of ['1', '1.', '1.abcd', '1.ab', '01.abc', '2.abc', ' 1.abc', '']) {
      assert.equal((await lab.settle({ ...lease, token }, { kind: 'release' })).outcome, 'lease_lost', token);
      assert.equal(await extend(lab, { ...lease, token }), 'lease_lost', token);
    }
    await assertStatus(lab, id, 'running');
  });

  test('a token of another task opens nothing', {}, async (lab) => {
    await lab.addMany(2);
    const [a] = await lab.reserve({ nonce: 'a' });
    const [b] = await lab.reserve({ nonce: 'b' });
    assert.ok(a && b);
    assert.equal((await lab.settle({ ...a, token: b.token }, { kind: 'release' })).outcome, 'lease_lost');
    await assertStatus(lab, a.task.id, 'running');
  });

  test('a late settlement stands while nobody has reaped the lease', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take({ leaseMs: 1_000 });
    lab.advance(1_000_000);
    assert.equal(await extend(lab, lease), 'extended');
    lab.advance(1_000_000);
    await lab.succeed(lease, '1');
    await assertStatus(lab, id, 'succeeded');
  });

  test('the same settlement again answers already_settled and counts once', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    await lab.succeed(lease, '1');
    for (let i = 0; i < 3; i += 1) {
      const again = await lab.settle(lease, { kind: 'succeed', result: '1' });
      assert.deepEqual(again, { outcome: 'already_settled', status: 'succeeded' });
    }
    const other = await lab.settle(lease, { kind: 'release' });
    assert.deepEqual(other, { outcome: 'already_settled', status: 'succeeded' });
    assert.equal((await lab.load()).totals.succeeded, 1);
    assert.equal(await extend(lab, lease), 'lease_lost');
  });

  test('a settled token is known for the last 20 deliveries, with the status of now', {}, async (lab) => {
    const id = await lab.add({ maxAttempts: 100 });
    const tokens: Lease[] = [];
    for (let i = 0; i < 21; i += 1) {
      const lease = await lab.take();
      tokens.push(lease);
      await lab.end(lease, { kind: 'release' });
    }
    const live = await lab.take();
    const [oldest, second, ...rest] = tokens;
    assert.ok(oldest && second);
    assert.equal((await lab.settle(oldest, { kind: 'release' })).outcome, 'lease_lost');
    assert.deepEqual(await lab.settle(second, { kind: 'release' }), {
      outcome: 'already_settled',
      status: 'running',
    });
    assert.equal((await lab.settle(rest.at(-1) ?? live, { kind: 'release' })).outcome, 'already_settled');
    await lab.succeed(live);
    assert.equal((await lab.get(id)).attempts.length, 20);
  });

  test('one lease settled twice in one batch is settled once', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    const settlement = lab.settlement(lease, { kind: 'release' });
    const results = await lab.engine.settle([settlement, settlement], lab.call);
    assert.deepEqual(results, [
      { outcome: 'settled', status: 'queued' },
      { outcome: 'already_settled', status: 'queued' },
    ]);
  });

  test('a task that is gone answers lease_lost without a status', { taskRetentionS: 10 }, async (lab) => {
    await lab.add();
    const lease = await lab.take();
    await lab.succeed(lease);
    lab.advance(10_000);
    await lab.prune();
    assert.deepEqual(await lab.settle(lease, { kind: 'release' }), { outcome: 'lease_lost', status: null });
  });
});
