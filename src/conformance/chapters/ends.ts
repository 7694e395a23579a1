// What an engine says about itself, and what it does after it was closed.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { assertRefused, type Lab } from '../lab.ts';

/** One call of every method, by name. */
function everyCall(
  { engine, call }: Lab,
  task: ReturnType<Lab['task']>,
): Record<string, () => Promise<unknown>> {
  const page = { limit: 1, cursor: null };
  const request = {
    workerId: 'w',
    requestId: 'r',
    nonce: 'n',
    queues: [{ name: 'q', weight: 1 }],
    max: 1,
    leaseMs: null,
  };
  const beat = { workerId: 'w', slots: 1, running: 0, cpu: null, loopDelayMs: null } as const;
  const about = { status: 'ready', version: '1', queues: [], types: [] } as const;
  return {
    now: () => engine.now(),
    probe: () => engine.probe(call),
    submit: () => engine.submit([task], call),
    replay: () => engine.replay([{ queue: 'q', client: 'c', key: 'k', fingerprint: 'f' }], call),
    reserve: () => engine.reserve(request, call),
    extend: () => engine.extend([{ id: task.id, token: 't', leaseMs: 1 }], call),
    settle: () => engine.settle([], call),
    promote: () => engine.promote(1, call),
    reap: () => engine.reap({ reaperId: 'r', max: 1, leaseMs: 1, nonce: 'n' }, call),
    expire: () => engine.expire(1, call),
    prune: () => engine.prune(1, call),
    cancel: () => engine.cancel([task.id], call),
    redrive: () => engine.redrive({ ids: [task.id] }, call),
    discard: () => engine.discard([task.id], call),
    purge: () => engine.purge('q', call),
    configure: () => engine.configure({ queue: 'q', patch: {} }, call),
    get: () => engine.get([task.id], call),
    list: () => engine.list(page, call),
    listDead: () => engine.listDead(page, call),
    load: () => engine.load(['q'], call),
    queues: () => engine.queues(page, call),
    beat: () => engine.workers.beat({ ...beat, ...about }, call),
    workers: () => engine.workers.list(call),
    append: () => engine.audit.append([], call),
    audit: () => engine.audit.list(page, call),
    publish: () => engine.publish([], call),
    subscribe: () => engine.subscribe(() => undefined),
    watch: () => engine.watch(['q'], () => undefined),
  };
}

export const capabilities = chapter('capabilities', (test) => {
  test('a probe leaves nothing behind', {}, async (lab) => {
    await lab.add();
    const before = await lab.engine.load(['q'], lab.call);
    assert.equal(await lab.engine.probe(lab.call), undefined);
    assert.deepEqual(await lab.engine.load(['q'], lab.call), before);
    assert.deepEqual((await lab.engine.queues({ limit: 10, cursor: null }, lab.call)).items, ['q']);
  });

  test('a closed list of facts', {}, async ({ engine }) => {
    assert.deepEqual(Object.keys(engine.capabilities).sort(), [
      'durable',
      'shared',
      'transactional',
      'watch',
    ]);
    for (const fact of Object.values(engine.capabilities)) assert.equal(typeof fact, 'boolean');
    assert.match(engine.name, /^[a-z][a-z0-9-]*$/);
  });

  test('durable exactly where the harness can reopen', {}, async (lab) => {
    assert.equal(lab.engine.capabilities.durable, lab.canRestart);
  });

  test('the store has a clock in milliseconds', {}, async (lab) => {
    await lab.add();
    assert.ok(Number.isFinite(await lab.engine.now()));
  });
});

export const closing = chapter('closing', (test) => {
  test('every call is refused once it is closed', {}, async (lab) => {
    const calls = everyCall(lab, lab.task());
    for (const call of Object.values(calls)) await call();
    await lab.engine.close();
    for (const [name, call] of Object.entries(calls)) {
      await assert.rejects(call(), { code: 'CLOSED', outcome: 'none', retryable: false }, name);
    }
  });

  test('closing twice is fine', {}, async ({ engine }) => {
    await engine.close();
    await engine.close();
  });

  test('close waits for what is in flight', {}, async (lab) => {
    const pending = Array.from({ length: 20 }, () => lab.submit({}));
    await lab.engine.close();
    const settled = await Promise.allSettled(pending);
    for (const result of settled) {
      if (result.status === 'rejected') await assertRefused(Promise.reject(result.reason), 'CLOSED');
      else assert.equal(result.value[0]?.outcome, 'created');
    }
  });

  test('nobody is told or woken after the close', {}, async (lab) => {
    let count = 0;
    await lab.engine.subscribe(() => {
      count += 1;
    });
    await lab.engine.watch(['q'], () => {
      count += 1;
    });
    await lab.engine.close();
    const before = count;
    await assertRefused(lab.submit({}), 'CLOSED');
    assert.equal(count, before);
  });
});
