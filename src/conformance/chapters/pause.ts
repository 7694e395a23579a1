// Pause: no reservation after its answer; everything else goes on.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { START } from '../lab.ts';

export const pause = chapter('pause', (test) => {
  test('nothing is handed out while paused, and the order is kept', {}, async (lab) => {
    const ids = await lab.addMany(3);
    await lab.pause();
    assert.deepEqual(await lab.reserve({ max: 10 }), []);
    await lab.resume();
    assert.deepEqual(await lab.drainIds(), ids);
  });

  test('who, when and why are kept; a second pause changes nothing', {}, async (lab) => {
    const { engine } = lab;
    lab.advance(5);
    const first = await engine.configure({ queue: 'q', pause: { by: 'ann', reason: 'deploy' } }, lab.call);
    lab.advance(5);
    const second = await engine.configure({ queue: 'q', pause: { by: 'bob', reason: null } }, lab.call);
    const paused = { since: START + 5, by: 'ann', reason: 'deploy' };
    assert.deepEqual(first.outcome === 'configured' && first.paused, paused);
    assert.deepEqual(second.outcome === 'configured' && second.paused, paused);
    assert.deepEqual((await lab.load()).paused, paused);
    const resumed = await engine.configure({ queue: 'q', pause: null }, lab.call);
    assert.equal(resumed.outcome === 'configured' && resumed.paused, null);
    assert.equal((await lab.load()).paused, null);
  });

  test('submit, settle, extend, promote, expire and reap go on', {}, async (lab) => {
    await lab.addMany(3, { ttlMs: 60_000 });
    const [a, b] = await lab.reserve({ max: 2, leaseMs: 1_000 });
    assert.ok(a && b);
    await lab.pause();
    await lab.add({ runAt: START + 10 });
    const extension = { id: a.task.id, token: a.token, leaseMs: 500 };
    assert.deepEqual(await lab.engine.extend([extension], lab.call), ['extended']);
    await lab.succeed(a);
    lab.advance(1_000);
    assert.deepEqual(await lab.reapAll(), [b.task.id]);
    assert.equal((await lab.promote()).done, 1);
    lab.advance(60_000);
    assert.equal((await lab.expire()).done, 2);
    assert.deepEqual(await lab.reserve({ max: 10 }), []);
  });

  test('a paused queue does not keep the others from their work', {}, async (lab) => {
    await lab.addMany(2, { queue: 'a' });
    await lab.addMany(2, { queue: 'b' });
    await lab.pause('a');
    const queues = [
      { name: 'a', weight: 9 },
      { name: 'b', weight: 1 },
    ];
    const leases = await lab.reserve({ queues, max: 10 });
    assert.equal(leases.map(({ task }) => task.queue).join(''), 'bb');
  });

  test('a request made before the pause still answers its living leases', {}, async (lab) => {
    await lab.addMany(2);
    const request = lab.request();
    const { leases } = await lab.engine.reserve(request, lab.call);
    await lab.pause();
    assert.deepEqual((await lab.engine.reserve(request, lab.call)).leases, leases);
  });

  test('a queue may be paused before its first task', {}, async (lab) => {
    await lab.pause();
    assert.notEqual((await lab.load()).paused, null);
    await lab.add();
    assert.deepEqual(await lab.reserve(), []);
  });

  test('resuming a queue that is not there makes none', {}, async (lab) => {
    const result = await lab.engine.configure({ queue: 'none', pause: null }, lab.call);
    assert.equal(result.outcome === 'configured' && result.version, 0);
    assert.deepEqual(await lab.engine.load(['none'], lab.call), [null]);
  });

  test('no reservation that starts after the answer gets through', {}, async (lab) => {
    await lab.addMany(50);
    const before = Array.from({ length: 5 }, () => lab.reserve());
    await lab.pause();
    const after = await Promise.all(Array.from({ length: 5 }, () => lab.reserve()));
    assert.equal(after.flat().length, 0);
    const got = (await Promise.all(before)).flat().length;
    assert.equal((await lab.load()).running, got);
  });
});
