// Extend: a lease lives on, progress is kept, and a wish to cancel is passed on.
import assert from 'node:assert/strict';
import type { Progress } from '../../core/task.ts';
import type { Lease } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { type Lab, START } from '../lab.ts';

async function renew(lab: Lab, { task, token }: Lease, leaseMs: number, progress?: Progress) {
  const item = { id: task.id, token, leaseMs };
  const [result] = await lab.engine.extend([progress ? { ...item, progress } : item], lab.call);
  return result;
}

export const extend = chapter('extend', (test) => {
  test('the lease then ends leaseMs after the call', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take({ leaseMs: 1_000 });
    lab.advance(900);
    assert.equal(await renew(lab, lease, 1_000), 'extended');
    lab.advance(999);
    assert.deepEqual(await lab.reap(), { leases: [], nextAt: START + 1_900 });
    lab.advance(1);
    assert.equal((await lab.reap()).leases.length, 1);
  });

  test('an extension may shorten the lease', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take({ leaseMs: 100_000 });
    assert.equal(await renew(lab, lease, 10), 'extended');
    assert.equal((await lab.reap()).nextAt, START + 10);
  });

  test('the token stays the same over any number of extensions', {}, async (lab) => {
    await lab.add();
    const lease = await lab.take({ leaseMs: 1_000 });
    for (let i = 0; i < 20; i += 1) {
      lab.advance(900);
      assert.equal(await renew(lab, lease, 1_000), 'extended');
    }
    await lab.succeed(lease);
    assert.equal((await lab.load()).totals.succeeded, 1);
  });

  test('progress is stored, and the last one stays', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    await renew(lab, lease, 1_000, { percent: 12.5, message: 'reading' });
    await renew(lab, lease, 1_000, { percent: 60, message: '' });
    await renew(lab, lease, 1_000);
    assert.deepEqual((await lab.get(id)).progress, { percent: 60, message: '' });
    await lab.succeed(lease);
    assert.deepEqual((await lab.get(id)).progress, { percent: 60, message: '' });
  });

  test('a new delivery starts without progress', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    await renew(lab, lease, 1_000, { percent: 50, message: 'half' });
    await lab.end(lease, { kind: 'release' });
    await lab.take();
    assert.equal((await lab.get(id)).progress, null);
  });

  test('a requested cancel is told with each extension', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take({ leaseMs: 1_000 });
    await lab.engine.cancel([id], lab.call);
    lab.advance(500);
    assert.equal(await renew(lab, lease, 1_000), 'cancel_requested');
    assert.equal(await renew(lab, lease, 1_000), 'cancel_requested');
    assert.equal((await lab.reap()).nextAt, START + 1_500, 'extended all the same');
  });

  test('a settled lease cannot be extended', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    await lab.succeed(lease);
    assert.equal(await renew(lab, lease, 1_000, { percent: 99, message: 'late' }), 'lease_lost');
    assert.equal((await lab.get(id)).progress, null);
  });

  test('a time to live that passes does not end a running lease', {}, async (lab) => {
    await lab.add({ ttlMs: 100 });
    const lease = await lab.take();
    lab.advance(200);
    assert.equal(await renew(lab, lease, 1_000), 'extended');
    assert.equal((await lab.expire()).done, 0);
    await lab.succeed(lease);
  });
});
