// Pace at reserve: ceilings over all workers, and a rate that holds in every window.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import type { Lab } from '../lab.ts';

async function started(lab: Lab, max = 100): Promise<number> {
  return (await lab.reserve({ max })).length;
}

export const pace = chapter('pace', (test) => {
  test('max_running is a ceiling over all workers', { maxRunning: 3 }, async (lab) => {
    await lab.addMany(10);
    const first = await lab.reserve({ max: 2, workerId: 'w1' });
    assert.equal(first.length, 2);
    assert.equal((await lab.reserve({ max: 2, workerId: 'w2' })).length, 1);
    assert.equal(await started(lab), 0);
    const [lease] = first;
    assert.ok(lease);
    await lab.end(lease, { kind: 'defer', delayMs: 5 });
    assert.equal(await started(lab), 1);
  });

  test('max_running holds under concurrent reserves', { maxRunning: 5 }, async (lab) => {
    await lab.addMany(50);
    const replies = await Promise.all(Array.from({ length: 20 }, () => lab.reserve({ max: 2 })));
    assert.equal(replies.flat().length, 5);
    assert.equal((await lab.load()).running, 5);
  });

  test('max_running 0 starts nothing, and raising it goes on', { maxRunning: 0 }, async (lab) => {
    await lab.addMany(2);
    assert.equal(await started(lab), 0);
    await lab.configure({ maxRunning: 1 });
    assert.equal(await started(lab), 1);
  });

  test('one queue at its ceiling leaves the others alone', {}, async (lab) => {
    await lab.configure({ maxRunning: 1 }, 'a');
    await lab.addMany(5, { queue: 'a' });
    await lab.addMany(5, { queue: 'b' });
    const queues = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 1 },
    ];
    const leases = await lab.reserve({ queues, max: 6 });
    assert.equal(leases.map(({ task }) => task.queue).join(''), 'abbbbb');
  });

  test('rate: a burst, then one per interval', {
    rate: { limit: 2, perMs: 1_000, burst: 3 },
  }, async (lab) => {
    await lab.addMany(20);
    assert.equal(await started(lab), 3);
    lab.advance(499);
    assert.equal(await started(lab), 0);
    lab.advance(1);
    assert.equal(await started(lab), 1);
    lab.advance(1_000);
    assert.equal(await started(lab), 2);
    lab.advance(1_000_000);
    assert.equal(await started(lab), 3, 'silence saves up one burst, no more');
  });

  test('rate: in any window the starts are <= rate x window + burst', {
    rate: { limit: 7, perMs: 1_000, burst: 2 },
  }, async (lab) => {
    await lab.addMany(200);
    const starts: number[] = [];
    for (let step = 0; step < 300; step += 1) {
      lab.advance((step * 37) % 50);
      const count = await started(lab, 10);
      for (let i = 0; i < count; i += 1) starts.push(lab.at);
    }
    starts.forEach((begin, i) => {
      for (let j = i; j < starts.length; j += 1) {
        const window = (starts[j] ?? 0) - begin;
        assert.ok(j - i + 1 <= (7 * window) / 1_000 + 2 + 1e-9, `${j - i + 1} starts in ${window} ms`);
      }
    });
    assert.ok(starts.length > 40);
  });

  test('rate: the answer says when the next start is allowed', {
    rate: { limit: 1, perMs: 800, burst: 1 },
  }, async (lab) => {
    await lab.addMany(2);
    await lab.take();
    const reply = await lab.engine.reserve(lab.request(), lab.call);
    assert.deepEqual(reply.leases, []);
    assert.equal(reply.nextDueAt, lab.at + 800);
  });

  test('rate: a clock that goes back does not stop the queue', {
    rate: { limit: 1, perMs: 100, burst: 2 },
  }, async (lab) => {
    await lab.addMany(10);
    assert.equal(await started(lab), 2);
    lab.advance(-3_600_000);
    // The refusal itself must be kept: it cuts the debt down to one burst from now.
    assert.equal(await started(lab), 0);
    lab.advance(100);
    assert.equal(await started(lab), 1);
    lab.advance(100);
    assert.equal(await started(lab), 1);
  });

  test('rate: work that is not started costs nothing', {
    rate: { limit: 1, perMs: 1_000, burst: 2 },
  }, async (lab) => {
    await lab.add({ ttlMs: 5 });
    await lab.add({ ttlMs: 5 });
    await lab.addMany(2);
    lab.advance(5);
    assert.equal(await started(lab), 2);
  });

  test('a queue that may not start anything is left as it is', { maxRunning: 0 }, async (lab) => {
    const id = await lab.add({ ttlMs: 5 });
    lab.advance(10);
    assert.equal(await started(lab), 0);
    assert.equal((await lab.get(id)).status, 'queued');
    await lab.configure({ maxRunning: 1 });
    assert.equal(await started(lab), 0);
    assert.equal((await lab.get(id)).status, 'dead_lettered');
  });
});
