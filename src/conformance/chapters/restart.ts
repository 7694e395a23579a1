// Restart: what was accepted and answered is there again, and goes on where it was.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { pages, START } from '../lab.ts';

export const restart = chapter(
  'restart',
  (test) => {
    test('tasks, counters, settings and pause are as they were', { maxDepth: 50 }, async (lab) => {
      await lab.addDead({ payload: '"dead"' });
      await lab.addMany(3, { ttlMs: 60_000, tenant: 'a' });
      await lab.add({
        runAt: START + 10_000,
        input: null,
        retry: { baseMs: 1, multiplier: 2, maxMs: 3, jitter: 0 },
      });
      await lab.fail(await lab.take());
      await lab.succeed(await lab.take(), '{"r":1}');
      await lab.configure({ maxRunning: 9, tenantWeights: { a: 2 } });
      await lab.pause();
      const list = () => pages((cursor) => lab.engine.list({ limit: 50, cursor }, lab.call));
      const before = [await list(), await lab.load()];
      await lab.restart();
      assert.deepEqual([await list(), await lab.load()], before);
    });

    test('leases live on, and their tokens still open', {}, async (lab) => {
      await lab.addMany(2);
      const [a, b] = await lab.reserve({ max: 2, leaseMs: 1_000 });
      assert.ok(a && b);
      await lab.restart();
      await lab.succeed(a);
      lab.advance(1_000);
      assert.deepEqual(await lab.reapAll(), [b.task.id]);
      assert.match((await lab.take()).token, /^3\./, 'tokens go on rising');
    });

    test('a settlement repeated after the restart is known', {}, async (lab) => {
      await lab.add();
      const lease = await lab.take();
      await lab.succeed(lease);
      await lab.restart();
      assert.equal((await lab.settle(lease, { kind: 'succeed', result: null })).outcome, 'already_settled');
    });

    test('a request repeated after the restart finds its leases', {}, async (lab) => {
      await lab.addMany(3);
      const request = lab.request({ max: 2 });
      const { leases } = await lab.engine.reserve(request, lab.call);
      await lab.restart();
      assert.deepEqual((await lab.engine.reserve(request, lab.call)).leases, leases);
    });

    test('keys are still held', {}, async (lab) => {
      const id = await lab.add({ idempotencyKey: 'k' });
      await lab.restart();
      const [again] = await lab.submit({ idempotencyKey: 'k' });
      assert.deepEqual(again, { outcome: 'duplicate', id, status: 'queued' });
    });

    test('the order goes on: lines, heads and turns', {}, async (lab) => {
      const a = await lab.addMany(4, { tenant: 'a' });
      const b = await lab.addMany(4, { tenant: 'b' });
      const first = await lab.take();
      assert.equal(first.task.id, a[0]);
      const second = await lab.take();
      assert.equal(second.task.id, b[0]);
      const third = await lab.take();
      await lab.end(second, { kind: 'release' });
      await lab.restart();
      const rest = [b[0], a[2], b[1], a[3], b[2], b[3]];
      assert.equal(third.task.id, a[1]);
      assert.deepEqual(await lab.drainIds(), rest);
    });

    test('weighted turns go on where they were', { tenantWeights: { a: 3 } }, async (lab) => {
      const whole = async (cut: number) => {
        const queue = lab.unique('queue');
        await lab.addMany(12, { queue, tenant: 'a' });
        await lab.addMany(12, { queue, tenant: 'b' });
        let seen = '';
        for (let i = 0; i < 12; i += 1) {
          if (i === cut) await lab.restart();
          seen += (await lab.take({ queues: [{ name: queue, weight: 1 }] })).task.tenant;
        }
        return seen;
      };
      const uncut = await whole(-1);
      for (const cut of [1, 2, 3, 5, 8]) assert.equal(await whole(cut), uncut, `restarted after ${cut}`);
    });

    test('the rate remembers what was started', {
      rate: { limit: 1, perMs: 1_000, burst: 1 },
    }, async (lab) => {
      await lab.addMany(2);
      await lab.take();
      await lab.restart();
      assert.deepEqual(await lab.reserve(), []);
      lab.advance(1_000);
      await lab.take();
    });

    test('a purge holds, swept or not', {}, async (lab) => {
      const ids = await lab.addMany(5);
      await lab.engine.purge('q', lab.call);
      await lab.restart();
      assert.deepEqual(await lab.reserve({ max: 10 }), []);
      const load = await lab.load();
      assert.deepEqual([load.queued, load.totals.cancelled, load.epoch], [0, 5, 1]);
      const [id = ''] = ids;
      assert.equal((await lab.get(id)).cancelReason, 'purged');
    });

    test('queue numbers are not given out twice', {}, async (lab) => {
      const a = await lab.add({ queue: 'a' });
      await lab.restart();
      const b = await lab.add({ queue: 'b' });
      const again = await lab.add({ queue: 'a' });
      assert.equal(again.slice(-6), a.slice(-6));
      assert.notEqual(b.slice(-6), a.slice(-6));
    });

    test('due work, expiry, dead letters, workers and audit go on', {}, async (lab) => {
      const delayed = await lab.add({ runAt: START + 100 });
      const mortal = await lab.add({ runAt: START + 10_000, ttlMs: 20_000 });
      const dead = await lab.addDead();
      const entry = { at: START, principal: 'p', action: 'a', queue: null, target: null, details: { n: 1 } };
      await lab.engine.audit.append([entry], lab.call);
      const beat = { workerId: 'w', slots: 1, running: 0, cpu: null, loopDelayMs: null };
      const about = { status: 'ready', version: '1', queues: [], types: [] } as const;
      await lab.engine.workers.beat({ ...beat, ...about }, lab.call);
      await lab.restart();
      lab.advance(100);
      assert.deepEqual(await lab.promote(), { done: 1, nextAt: START + 10_000 });
      assert.equal((await lab.take()).task.id, delayed);
      lab.advance(20_000);
      assert.equal((await lab.expire()).done, 1);
      assert.equal(await lab.status(mortal), 'dead_lettered');
      const letters = await lab.engine.listDead({ limit: 5, cursor: null }, lab.call);
      assert.deepEqual(
        letters.items.map(({ id }) => id),
        [mortal, dead],
      );
      assert.deepEqual((await lab.engine.audit.list({ limit: 5, cursor: null }, lab.call)).items, [entry]);
      assert.equal((await lab.engine.workers.list(lab.call))[0]?.workerId, 'w');
    });
  },
  true,
);
