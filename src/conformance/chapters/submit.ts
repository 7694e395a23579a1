// Submit: what a new task looks like, and where it goes.
import assert from 'node:assert/strict';
import { homeOf, isTaskId } from '../../core/id.ts';
import { chapter } from '../frame.ts';
import { START } from '../lab.ts';

export const submit = chapter('submit', (test) => {
  test('a due task is queued with everything it was given', {}, async (lab) => {
    const spec = lab.task({
      type: 'csv-import',
      payload: '{"a":[1,2]}',
      metadata: '{"m":1}',
      priority: 7,
      tenant: 'acme',
      client: 'key-1',
      maxAttempts: 9,
      timeoutMs: 1234,
      ttlMs: 60_000,
      retry: { baseMs: 1, multiplier: 1.5, maxMs: 99, jitter: 0.1 },
      input: { name: 'in.csv', contentType: 'text/csv', bytes: 5, sha256: 'ab'.repeat(32), path: 'f/1' },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
    });
    const [result] = await lab.engine.submit([spec], lab.call);
    assert.equal(result?.outcome, 'created');
    const { runAt: _runAt, fingerprint: _fingerprint, keyHeldUntil: _held, ...fixed } = spec;
    assert.deepEqual(await lab.get(result.id), {
      ...fixed,
      id: result.id,
      status: 'queued',
      attempt: 0,
      deliveries: 0,
      leaseLosses: 0,
      generation: 1,
      createdAt: START,
      availableAt: START,
      startedAt: null,
      finishedAt: null,
      expiresAt: START + 60_000,
      unknownSince: null,
      progress: null,
      result: null,
      lastError: null,
      attempts: [],
      cancelRequested: false,
      cancelReason: null,
      deadLetter: null,
      inDlq: false,
    });
  });

  test('the id keeps its time and gets its home', {}, async (lab) => {
    const specs = [lab.task({ queue: 'a' }), lab.task({ queue: 'b' }), lab.task({ queue: 'a' })];
    const results = await lab.engine.submit(specs, lab.call);
    const ids = results.map((result) => (result.outcome === 'created' ? result.id : ''));
    assert.ok(ids.every(isTaskId));
    assert.deepEqual(
      ids.map((id) => id.slice(0, -6)),
      specs.map(({ id }) => id.slice(0, -6)),
    );
    assert.deepEqual(
      ids.map((id) => homeOf(id).queueNumber),
      [0, 1, 0],
    );
    assert.ok(ids.every((id) => homeOf(id).shard === 0));
  });

  test('a task with a later run_at is scheduled, one with a past run_at is queued', {}, async (lab) => {
    const results = await lab.submit({ runAt: START + 1 }, { runAt: START }, { runAt: START - 5 });
    assert.deepEqual(
      results.map((result) => result.outcome === 'created' && result.status),
      ['scheduled', 'queued', 'queued'],
    );
    const [later, now, past] = results.map((result) => (result.outcome === 'created' ? result.id : ''));
    assert.equal((await lab.get(later ?? '')).availableAt, START + 1);
    assert.equal((await lab.get(now ?? '')).availableAt, START);
    assert.equal((await lab.get(past ?? '')).availableAt, START);
  });

  test('the answer tells depth, limit and position', { maxDepth: 50 }, async (lab) => {
    const results = await lab.submit(
      { priority: 5 },
      { priority: 9 },
      { priority: 5 },
      { priority: 0 },
      { runAt: START + 1000 },
    );
    assert.deepEqual(
      results.map((result) => {
        assert.equal(result.outcome, 'created');
        const { position, depth, limit } = result;
        return [position, depth, limit];
      }),
      [
        [0, 1, 50],
        [0, 2, 50],
        [2, 3, 50],
        [3, 4, 50],
        [null, 4, 50],
      ],
    );
  });

  test('time to live counts from creation, also for delayed work', {}, async (lab) => {
    const id = await lab.add({ runAt: START + 5_000, ttlMs: 20_000 });
    assert.equal((await lab.get(id)).expiresAt, START + 20_000);
  });

  test('an accepted task is counted at once', {}, async (lab) => {
    await lab.submit({ payload: '"12345"' }, { runAt: START + 1 });
    const { queued, scheduled, bytes, byPriority, totals, oldestAvailableAt } = await lab.load();
    assert.deepEqual([queued, scheduled, bytes, totals.accepted], [1, 1, 7 + 2 + 2 + 2, 2]);
    assert.deepEqual(byPriority, [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
    assert.equal(oldestAvailableAt, START);
  });

  test('a refused task leaves no queue and no number behind', { maxDepth: 0 }, async (lab) => {
    const [refused] = await lab.submit({ queue: 'refused' });
    assert.equal(refused?.outcome, 'full');
    assert.deepEqual(await lab.engine.load(['refused'], lab.call), [null]);
    await lab.configure({ maxDepth: 1 }, 'kept');
    const id = await lab.add({ queue: 'kept' });
    assert.equal(homeOf(id).queueNumber, 0);
  });
});
