// Tenants take turns inside a lane, by weight; who is at its limit does not block the others.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import type { Lab } from '../lab.ts';

async function fill(lab: Lab, depths: Readonly<Record<string, number>>, priority = 5): Promise<void> {
  for (const [tenant, count] of Object.entries(depths)) await lab.addMany(count, { tenant, priority });
}

async function turns(lab: Lab, most: number): Promise<string> {
  const leases = await lab.reserve({ max: most });
  return leases.map(({ task }) => task.tenant).join('');
}

export const tenants = chapter('tenants', (test) => {
  test('equal tenants take turns, however long their lines', {}, async (lab) => {
    await fill(lab, { a: 50, b: 3, c: 3 });
    assert.equal(await turns(lab, 12), 'abcabcabcaaa');
  });

  test('turns go on from call to call', {}, async (lab) => {
    await fill(lab, { a: 4, b: 4 });
    let seen = '';
    for (let i = 0; i < 8; i += 1) seen += await turns(lab, 1);
    assert.equal(seen, 'abababab');
  });

  test('a tenant that comes late is served next round, not last', {}, async (lab) => {
    await fill(lab, { a: 100 });
    assert.equal(await turns(lab, 10), 'a'.repeat(10));
    await fill(lab, { b: 3 });
    assert.equal((await turns(lab, 4)).replaceAll('a', '').length, 2);
  });

  test('weights give more turns a round', { tenantWeights: { big: 3 } }, async (lab) => {
    await fill(lab, { big: 30, small: 30 });
    const leases = await lab.reserve({ max: 20 });
    const big = leases.filter(({ task }) => task.tenant === 'big').length;
    assert.equal(big, 15);
    // Never far from its share: after every fourth start three were the big one's, give or take one.
    leases.forEach((_, i) => {
      const sofar = leases.slice(0, i + 1).filter(({ task }) => task.tenant === 'big').length;
      assert.ok(Math.abs(sofar - ((i + 1) * 3) / 4) <= 1, `after ${i + 1} starts: ${sofar}`);
    });
  });

  test('weights can be set while the queue runs', {}, async (lab) => {
    await fill(lab, { a: 40, b: 40 });
    assert.equal((await turns(lab, 8)).replaceAll('b', '').length, 4);
    await lab.configure({ tenantWeights: { b: 4 } });
    const seen = await turns(lab, 20);
    assert.ok(seen.replaceAll('a', '').length >= 15, seen);
  });

  test('a weight named like a property of every object is no weight', {}, async (lab) => {
    await fill(lab, { constructor: 3, toString: 3, x: 3 });
    const leases = await lab.reserve({ max: 6 });
    assert.deepEqual(
      leases.map(({ task }) => task.tenant),
      ['constructor', 'toString', 'x', 'constructor', 'toString', 'x'],
    );
  });

  test('turns are kept per lane', { priorityAgingMs: 0 }, async (lab) => {
    await fill(lab, { a: 2, b: 2 }, 9);
    await fill(lab, { b: 2, a: 2 }, 1);
    assert.equal(await turns(lab, 8), 'ababbaba');
  });

  test('a tenant at tenant_max_running is passed over', { tenantMaxRunning: 2 }, async (lab) => {
    await fill(lab, { a: 10, b: 3 });
    const leases = await lab.reserve({ max: 10 });
    assert.equal(leases.map(({ task }) => task.tenant).join(''), 'abab');
    assert.deepEqual(await lab.reserve({ max: 10 }), []);
    const ofA = leases.find(({ task }) => task.tenant === 'a');
    assert.ok(ofA);
    await lab.succeed(ofA);
    assert.equal(await turns(lab, 10), 'a');
  });

  test('a blocked tenant hides its lane, not the lanes below', {
    tenantMaxRunning: 1,
    priorityAgingMs: 0,
  }, async (lab) => {
    await fill(lab, { a: 3 }, 9);
    await fill(lab, { b: 1 }, 2);
    assert.equal(await turns(lab, 5), 'ab');
  });

  test('raising the tenant limit lets it go on', { tenantMaxRunning: 1 }, async (lab) => {
    await fill(lab, { a: 3 });
    assert.equal(await turns(lab, 5), 'a');
    await lab.configure({ tenantMaxRunning: 3 });
    assert.equal(await turns(lab, 5), 'aa');
  });

  test('release and lost lease free the tenant again', { tenantMaxRunning: 1 }, async (lab) => {
    await fill(lab, { a: 1 });
    const lease = await lab.take({ leaseMs: 1_000 });
    await lab.end(lease, { kind: 'release' });
    await lab.take({ leaseMs: 1_000 });
    lab.advance(1_000);
    await lab.reapAll();
    assert.equal(await turns(lab, 1), 'a');
  });

  test('a tenant gains nothing by leaving and coming back', {}, async (lab) => {
    await fill(lab, { a: 20 });
    let seen = '';
    for (let round = 0; round < 10; round += 1) {
      await fill(lab, { b: 1 });
      seen += await turns(lab, 2);
    }
    assert.equal(seen.replaceAll('a', '').length, 10, seen);
  });
});
