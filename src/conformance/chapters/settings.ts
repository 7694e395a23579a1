// Settings of a queue: overrides over defaults, by merge patch, with a version; in force at once.
import assert from 'node:assert/strict';
import { DEFAULT_SETTINGS } from '../../core/settings.ts';
import { chapter } from '../frame.ts';

export const settings = chapter('settings', (test) => {
  test('what nobody set is the default', { maxDepth: 77, leaseMs: 1_234 }, async (lab) => {
    await lab.add();
    const load = await lab.load();
    assert.deepEqual(load.settings, { ...DEFAULT_SETTINGS, maxDepth: 77, leaseMs: 1_234 });
    assert.deepEqual([load.overrides, load.settingsVersion], [{}, 0]);
  });

  test('a patch changes what it names; null goes back to the default', { maxDepth: 77 }, async (lab) => {
    const { engine } = lab;
    const first = await engine.configure(
      { queue: 'q', patch: { maxDepth: 5, tenantWeights: { a: 2 }, rate: { limit: 1, perMs: 2, burst: 3 } } },
      lab.call,
    );
    assert.equal(first.outcome, 'configured');
    assert.deepEqual(first.overrides, {
      maxDepth: 5,
      tenantWeights: { a: 2 },
      rate: { limit: 1, perMs: 2, burst: 3 },
    });
    const second = await engine.configure(
      { queue: 'q', patch: { maxDepth: null, tenantWeights: { b: 3 }, maxRunning: 0 } },
      lab.call,
    );
    assert.equal(second.outcome, 'configured');
    assert.deepEqual(second.overrides, {
      tenantWeights: { b: 3 },
      rate: { limit: 1, perMs: 2, burst: 3 },
      maxRunning: 0,
    });
    assert.equal(second.settings.maxDepth, 77);
    const { settings: stored, overrides, settingsVersion } = await lab.load();
    assert.deepEqual([stored, overrides, settingsVersion], [second.settings, second.overrides, 2]);
  });

  test('the version counts patches and guards them', {}, async (lab) => {
    const { engine } = lab;
    const configure = (ifVersion: number, maxDepth: number) =>
      engine.configure({ queue: 'q', patch: { maxDepth }, ifVersion }, lab.call);
    const refused = await configure(1, 1);
    assert.deepEqual(refused, { outcome: 'changed', version: 0 });
    assert.deepEqual(await engine.load(['q'], lab.call), [null], 'refused: no queue is made');
    const first = await configure(0, 2);
    assert.equal(first.outcome === 'configured' && first.version, 1);
    assert.deepEqual(await configure(0, 3), { outcome: 'changed', version: 1 });
    assert.equal((await lab.load()).settings.maxDepth, 2);
    const second = await configure(1, 4);
    assert.equal(second.outcome === 'configured' && second.version, 2);
    const empty = await engine.configure({ queue: 'q', patch: {} }, lab.call);
    assert.equal(empty.outcome === 'configured' && empty.version, 3);
  });

  test('of two writers with one version one wins', {}, async (lab) => {
    const results = await Promise.all(
      [1, 2, 3, 4].map((maxDepth) =>
        lab.engine.configure({ queue: 'q', patch: { maxDepth }, ifVersion: 0 }, lab.call),
      ),
    );
    assert.equal(results.filter(({ outcome }) => outcome === 'configured').length, 1);
    assert.equal((await lab.load()).settingsVersion, 1);
  });

  test('a refused patch leaves the pause alone too', {}, async (lab) => {
    const change = { queue: 'q', patch: {}, ifVersion: 9, pause: { by: 'x', reason: null } };
    assert.equal((await lab.engine.configure(change, lab.call)).outcome, 'changed');
    assert.deepEqual(await lab.engine.load(['q'], lab.call), [null]);
  });

  test('patch and pause in one call', {}, async (lab) => {
    const change = { queue: 'q', patch: { maxDepth: 1 }, pause: { by: 'x', reason: 'r' } };
    const result = await lab.engine.configure(change, lab.call);
    assert.equal(result.outcome, 'configured');
    assert.deepEqual([result.settings.maxDepth, result.version, result.paused?.by], [1, 1, 'x']);
  });

  test('pausing does not touch the version', {}, async (lab) => {
    await lab.configure({ maxDepth: 5 });
    await lab.pause();
    await lab.resume();
    assert.equal((await lab.load()).settingsVersion, 1);
  });

  test('settings are of one queue', {}, async (lab) => {
    await lab.configure({ maxDepth: 1 }, 'a');
    await lab.addMany(2, { queue: 'b' });
    assert.equal((await lab.load('b')).settings.maxDepth, DEFAULT_SETTINGS.maxDepth);
  });

  test('in force at once for what comes next', {}, async (lab) => {
    await lab.addMany(3);
    await lab.configure({ leaseMs: 111, maxRunning: 1 });
    const leases = await lab.reserve({ max: 3 });
    assert.deepEqual(
      leases.map(({ until }) => until),
      [lab.at + 111],
    );
  });

  test('names that every object has are data', {}, async (lab) => {
    const tenantWeights = JSON.parse('{"__proto__": 4, "constructor": 2}') as Record<string, number>;
    await lab.configure({ tenantWeights });
    const stored = (await lab.load()).settings.tenantWeights;
    assert.deepEqual(Object.entries(stored), [
      ['__proto__', 4],
      ['constructor', 2],
    ]);
    assert.equal((await lab.load('q')).settings.maxDepth, DEFAULT_SETTINGS.maxDepth);
  });
});
