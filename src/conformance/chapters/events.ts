// Events: one for each committed transition, none for what was refused, in an order that a task can have had.
import assert from 'node:assert/strict';
import type { TaskEvent } from '../../engine/records.ts';
import { chapter } from '../frame.ts';
import { eventually, type Lab, START } from '../lab.ts';

/** Ends the recording: an event of its own that can only come after all others. */
async function told(lab: Lab, events: TaskEvent[]): Promise<TaskEvent[]> {
  const last: TaskEvent = {
    type: 'WORKER_STALE',
    at: lab.at,
    taskId: null,
    queue: null,
    taskType: null,
    attempt: null,
    workerId: lab.unique('marker'),
    details: {},
  };
  await lab.engine.publish([last], lab.call);
  await eventually(() => events.some(({ workerId }) => workerId === last.workerId), 'the marker');
  assert.deepEqual(events.at(-1), last, 'nothing comes after the last event');
  return events.slice(0, -1);
}

const types = (events: readonly TaskEvent[]) => events.map(({ type }) => type);

export const events = chapter('events', (test) => {
  test('one task’s whole life, event by event', {}, async (lab) => {
    const recorded = await lab.record();
    const id = await lab.add({ queue: 'mail', type: 'send', runAt: START + 10, maxAttempts: 2 });
    const from = { queues: [{ name: 'mail', weight: 1 }] };
    lab.advance(10);
    await lab.promote();
    await lab.end(await lab.take(from), { kind: 'release' });
    const failing = await lab.take({ ...from, workerId: 'w2' });
    await lab.fail(failing, { retryDelayMs: 5 });
    lab.advance(5);
    await lab.promote();
    await lab.fail(await lab.take(from));
    await lab.engine.redrive({ ids: [id] }, lab.call);
    await lab.succeed(await lab.take(from), '1');
    const own = await told(lab, recorded);
    assert.ok(own.every(({ taskId, queue, taskType }) => `${taskId}${queue}${taskType}` === `${id}mailsend`));
    assert.deepEqual(
      own.map(({ type, at, attempt, workerId, details }) => [type, at - START, attempt, workerId, details]),
      [
        ['TASK_SCHEDULED', 0, 0, null, { available_at: START + 10 }],
        ['TASK_QUEUED', 10, 0, null, {}],
        ['TASK_STARTED', 10, 1, 'w1', {}],
        ['TASK_QUEUED', 10, 0, 'w1', {}],
        ['TASK_STARTED', 10, 1, 'w2', {}],
        ['TASK_RETRY_SCHEDULED', 10, 1, 'w1', { available_at: START + 15, retry_delay_ms: 5 }],
        ['TASK_QUEUED', 15, 1, null, {}],
        ['TASK_STARTED', 15, 2, 'w1', {}],
        ['TASK_DEAD_LETTERED', 15, 2, 'w1', { reason: 'attempts_exhausted' }],
        ['TASK_QUEUED', 15, 0, null, {}],
        ['TASK_STARTED', 15, 1, 'w1', {}],
        ['TASK_SUCCEEDED', 15, 1, 'w1', {}],
      ],
    );
  });

  test('the other ends', {}, async (lab) => {
    const recorded = await lab.record();
    const ends: string[] = [];
    const lastOf = async () => {
      const all = await told(lab, recorded);
      recorded.length = 0;
      const last = all.at(-1);
      ends.push(`${last?.type} ${JSON.stringify(last?.details)}`);
    };
    await lab.engine.cancel([await lab.add()], lab.call);
    await lastOf();
    await lab.engine.cancel([await lab.add()], lab.call);
    await lastOf();
    await lab.add({ ttlMs: 1 });
    lab.advance(1);
    await lab.expire();
    await lastOf();
    await lab.configure({ deadLetterOnExpiry: false });
    await lab.add({ ttlMs: 1 });
    lab.advance(1);
    await lab.reserve();
    await lastOf();
    await lab.configure({ deadLetter: false });
    await lab.add();
    await lab.fail(await lab.take(), { retryable: false });
    await lastOf();
    await lab.add();
    await lab.end(await lab.take(), { kind: 'defer', delayMs: 100 });
    await lastOf();
    assert.deepEqual(ends, [
      'TASK_CANCELLED {"reason":"requested"}',
      'TASK_CANCELLED {"reason":"requested"}',
      'TASK_DEAD_LETTERED {"reason":"expired"}',
      'TASK_EXPIRED {}',
      'TASK_FAILED {}',
      `TASK_SCHEDULED {"available_at":${lab.at + 100}}`,
    ]);
  });

  test('a running cancel is told when it ends, not when it is asked', {}, async (lab) => {
    const id = await lab.add();
    const lease = await lab.take();
    const recorded = await lab.record();
    await lab.engine.cancel([id], lab.call);
    assert.deepEqual(await told(lab, recorded), []);
    recorded.length = 0;
    await lab.succeed(lease);
    assert.deepEqual(types(await told(lab, recorded)), ['TASK_CANCELLED']);
  });

  test('a lost lease, then what became of it', {}, async (lab) => {
    await lab.add();
    await lab.take({ leaseMs: 10, workerId: 'w7' });
    const recorded = await lab.record();
    lab.advance(10);
    await lab.reapAll();
    const [lost, queued] = await told(lab, recorded);
    assert.deepEqual([lost?.type, lost?.workerId, lost?.attempt], ['LEASE_LOST', 'w7', 1]);
    assert.equal(queued?.type, 'TASK_QUEUED');
  });

  test('progress', {}, async (lab) => {
    await lab.add();
    const { task, token } = await lab.take({ workerId: 'w3' });
    const recorded = await lab.record();
    const progress = { percent: 33, message: 'third' };
    await lab.engine.extend([{ id: task.id, token, leaseMs: 10, progress }], lab.call);
    await lab.engine.extend([{ id: task.id, token, leaseMs: 10 }], lab.call);
    const [event, ...more] = await told(lab, recorded);
    assert.deepEqual(
      [event?.type, event?.workerId, event?.details, more],
      ['TASK_PROGRESS', 'w3', progress, []],
    );
  });

  test('an absorbed duplicate, with the first task’s id', {}, async (lab) => {
    const id = await lab.add({ idempotencyKey: 'k' });
    const recorded = await lab.record();
    await lab.submit({ idempotencyKey: 'k' }, { idempotencyKey: 'k', fingerprint: 'e'.repeat(64) });
    const query = { queue: 'q', client: 'anonymous', key: 'k', fingerprint: 'f'.repeat(64) };
    await lab.engine.replay([query], lab.call);
    const [event, ...more] = await told(lab, recorded);
    assert.deepEqual([event?.type, event?.taskId, more], ['DUPLICATE_ABSORBED', id, []]);
  });

  test('the queue’s own events, only where something changed', {}, async (lab) => {
    const recorded = await lab.record();
    const { engine } = lab;
    await engine.configure({ queue: 'q', pause: { by: 'ann', reason: 'why' } }, lab.call);
    await engine.configure({ queue: 'q', pause: { by: 'bob', reason: null } }, lab.call);
    await engine.configure({ queue: 'q', pause: null }, lab.call);
    await engine.configure({ queue: 'q', pause: null }, lab.call);
    await engine.configure({ queue: 'q', patch: { maxDepth: 1 } }, lab.call);
    await engine.configure({ queue: 'q', patch: { maxDepth: 1 }, ifVersion: 9 }, lab.call);
    assert.deepEqual(
      (await told(lab, recorded)).map(({ type, queue, details }) => [type, queue, details]),
      [
        ['QUEUE_PAUSED', 'q', { by: 'ann', reason: 'why' }],
        ['QUEUE_RESUMED', 'q', {}],
        ['SETTINGS_CHANGED', 'q', { version: 1 }],
      ],
    );
  });

  test('nothing is told of what was refused', { maxDepth: 1 }, async (lab) => {
    const id = await lab.add();
    const old = await lab.take({ leaseMs: 1 });
    lab.advance(1);
    await lab.reap(1, 10_000);
    const recorded = await lab.record();
    await lab.submit({});
    await lab.settle(old, { kind: 'succeed', result: null });
    await lab.engine.extend([{ id, token: old.token, leaseMs: 5 }], lab.call);
    await lab.engine.redrive({ ids: [id] }, lab.call);
    await lab.engine.purge('none', lab.call);
    await lab.reserve();
    assert.deepEqual(await told(lab, recorded), []);
  });

  test('a transition is there for readers when its event comes', {}, async (lab) => {
    const seen: Promise<string | undefined>[] = [];
    await lab.engine.subscribe((some) => {
      for (const { taskId, type } of some) {
        if (type !== 'TASK_SUCCEEDED' || taskId === null) continue;
        seen.push(lab.engine.get([taskId], lab.call).then(([task]) => task?.status));
      }
    });
    for (let i = 0; i < 5; i += 1) {
      await lab.add();
      await lab.succeed(await lab.take());
    }
    await eventually(() => seen.length === 5, 'five successes');
    assert.deepEqual(
      await Promise.all(seen),
      Array.from({ length: 5 }, () => 'succeeded'),
    );
  });

  test('published events reach every subscriber, and none after it left', {}, async (lab) => {
    const [one, two] = [await lab.record(), await lab.record()];
    const three: TaskEvent[] = [];
    const leave = await lab.engine.subscribe((some) => {
      three.push(...some);
    });
    await lab.add();
    await told(lab, one);
    await eventually(() => three.length === 2, 'both events');
    await leave();
    await leave();
    await lab.add();
    assert.deepEqual(types(await told(lab, two)), ['TASK_QUEUED', 'WORKER_STALE', 'TASK_QUEUED']);
    assert.equal(three.length, 2);
  });
});
