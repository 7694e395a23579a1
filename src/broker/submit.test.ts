import { describe, expect, it } from 'vitest';
import { type BrokerHouse, brokerHouse } from '../../test/support/broker-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import type { SettingsPatch } from '../core/settings.ts';
import { EngineError } from '../engine/errors.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import { withFaults } from '../engine/wrap-faults.ts';
import type { BrokerLimits } from './env.ts';
import { Gauges } from './gauges.ts';
import { Refusals } from './problems.ts';
import type { SubmitAsk } from './replies.ts';
import { SubmitPipeline } from './submit.ts';

const TASK = { queue: 'q', type: 'work', payload: { n: 1 } };
const ask = (given: Partial<SubmitAsk> = {}): SubmitAsk => ({
  principal: ANONYMOUS,
  headerKey: null,
  upload: null,
  ...given,
});

function withFile(id: string, sha256: string): Partial<SubmitAsk> {
  const file = { name: 'f', contentType: 't', bytes: 1, sha256, path: `${id}_q` };
  return { upload: { id, file } };
}

async function pipeline(limits: Partial<BrokerLimits> = {}) {
  const calls: string[] = [];
  const house = await brokerHouse({
    limits,
    wrap: (engine) => withFaults(engine, { before: (operation) => void calls.push(operation) }),
  });
  const gauges = new Gauges(house);
  const refusals = new Refusals(gauges, house.limits);
  const scheduled: number[] = [];
  const submit = new SubmitPipeline(house, {
    gauges,
    refusals,
    onScheduled: (dueAt) => void scheduled.push(dueAt),
  });
  return { house, calls, scheduled, submit };
}

function configure({ engine, clock }: BrokerHouse, patch: SettingsPatch) {
  return engine.configure({ queue: 'q', patch }, { at: clock.now(), principal: ANONYMOUS });
}

function load({ engine, clock }: BrokerHouse) {
  return engine.load(['q'], { at: clock.now(), principal: ANONYMOUS });
}

describe('submit', () => {
  it('accepts with place, depth and limit, and rising ids', async () => {
    const { submit } = await pipeline();
    const first = await submit.submit(TASK, ask());
    expect(first).toMatchObject({
      kind: 'accepted',
      status: 'queued',
      queue: 'q',
      position: 0,
      depth: 1,
      limit: 10_000,
    });
    const second = await submit.submit(TASK, ask());
    expect(second).toMatchObject({ position: 1, depth: 2 });
    if (first.kind !== 'accepted' || second.kind !== 'accepted') throw new Error('refused');
    expect(second.taskId > first.taskId).toBe(true);
  });

  it('tells when a delayed task comes due, once it is in', async () => {
    const { house, submit, scheduled } = await pipeline();
    const reply = await submit.submit({ ...TASK, delay_ms: 500 }, ask());
    expect(reply).toMatchObject({ kind: 'accepted', status: 'scheduled', position: null });
    await configure(house, { maxScheduled: 1 });
    expect(await submit.submit({ ...TASK, delay_ms: 100 }, ask())).toMatchObject({ kind: 'refused' });
    expect(scheduled).toEqual([house.clock.now() + 500]);
  });

  it('sends 64 at once in two calls to the store', async () => {
    const { calls, submit } = await pipeline();
    calls.length = 0;
    const replies = await Promise.all(Array.from({ length: 64 }, () => submit.submit(TASK, ask())));
    expect(replies.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(calls.filter((name) => name === 'submit')).toHaveLength(2);
  });

  it('does not mix callers in one call', async () => {
    const { house, submit } = await pipeline();
    const replies = await Promise.all(
      ['a', 'b', 'a'].map((principal) => submit.submit(TASK, ask({ principal, headerKey: 'k' }))),
    );
    expect(replies.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'duplicate']);
    const [queue] = await load(house);
    expect(queue?.totals.accepted).toBe(2);
  });

  it('refuses what is wrong without asking the store', async () => {
    const { calls, submit } = await pipeline();
    calls.length = 0;
    const refused = await submit.submit({ ...TASK, priority: 11 }, ask());
    expect(refused).toMatchObject({ kind: 'refused', problem: { code: 'INVALID_TASK' } });
    const large = await submit.submit({ ...TASK, payload: 'x'.repeat(1_000) }, ask());
    expect(large).toMatchObject({ problem: { code: 'PAYLOAD_TOO_LARGE' } });
    expect(calls).toEqual([]);
  });

  it('throws what the store throws, to each of those who were in the call', async () => {
    const house = await brokerHouse({
      wrap: (engine) =>
        withFaults(engine, {
          before: (operation) => {
            if (operation === 'submit') throw new EngineError('STORE_UNAVAILABLE', 'down');
          },
        }),
    });
    const gauges = new Gauges(house);
    const parts = { gauges, refusals: new Refusals(gauges, house.limits), onScheduled: () => undefined };
    const submit = new SubmitPipeline(house, parts);
    const ended = await Promise.allSettled([1, 2, 3].map(() => submit.submit(TASK, ask())));
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

describe('a key', () => {
  it('gives the first task again, under another payload a conflict', async () => {
    const { submit } = await pipeline();
    const first = await submit.submit(TASK, ask({ headerKey: 'k' }));
    const again = await submit.submit(TASK, ask({ headerKey: 'k' }));
    expect(again).toMatchObject({ kind: 'duplicate', status: 'queued', queue: 'q' });
    if (first.kind !== 'accepted' || again.kind !== 'duplicate') throw new Error('not a replay');
    expect(again.taskId).toBe(first.taskId);
    const other = await submit.submit({ ...TASK, payload: { n: 2 } }, ask({ headerKey: 'k' }));
    expect(other).toMatchObject({
      kind: 'refused',
      problem: { code: 'IDEMPOTENCY_KEY_REUSED', details: { task_id: first.taskId }, retryAfterS: null },
    });
  });

  it('is held as long as configured, and while its task lives', async () => {
    const { house, submit } = await pipeline({ idempotencyTtlS: 60 });
    await submit.submit(TASK, ask({ headerKey: 'k' }));
    await house.time.advance(3_600_000);
    expect((await submit.submit(TASK, ask({ headerKey: 'k' }))).kind).toBe('duplicate');
  });

  it('with another file is another task', async () => {
    const { house, submit } = await pipeline();
    const id = () => newTask(house.clock.now()).id;
    const keyed = (sha256: string) => ask({ headerKey: 'k', ...withFile(id(), sha256) });
    const first = await submit.submit(TASK, keyed('a'.repeat(64)));
    expect(first.kind).toBe('accepted');
    expect((await submit.submit(TASK, keyed('a'.repeat(64)))).kind).toBe('duplicate');
    expect(await submit.submit(TASK, keyed('b'.repeat(64)))).toMatchObject({
      problem: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
    // The same task without any file is not the same request.
    expect(await submit.submit(TASK, ask({ headerKey: 'k' }))).toMatchObject({
      problem: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });
});

describe('the bound over all queues', () => {
  it('refuses what is new, with a look at most 250 ms old, and never a replay', async () => {
    const { house, submit } = await pipeline({ maxPending: 2 });
    await submit.submit(TASK, ask({ headerKey: 'k' }));
    await submit.submit({ ...TASK, queue: 'other' }, ask());
    await house.time.advance(250);
    expect(await submit.submit({ ...TASK, queue: 'third' }, ask())).toMatchObject({
      kind: 'refused',
      problem: { code: 'SATURATED', details: { pending: 2, max_pending: 2 }, retryAfterS: 5 },
    });
    expect((await submit.submit(TASK, ask({ headerKey: 'k' }))).kind).toBe('duplicate');
    const conflict = await submit.submit({ ...TASK, type: 'else' }, ask({ headerKey: 'k' }));
    expect(conflict).toMatchObject({ problem: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect(await submit.submit({ ...TASK, type: '-' }, ask())).toMatchObject({
      problem: { code: 'INVALID_TASK' },
    });
  });
});

describe('precheck', () => {
  it('lets through what may get in, also into a queue that is not there yet', async () => {
    const { house, submit } = await pipeline();
    expect(await submit.precheck(TASK, ask())).toBeNull();
    await submit.submit(TASK, ask());
    expect(await submit.precheck(TASK, ask())).toBeNull();
    const [queue] = await load(house);
    expect(queue?.totals.accepted).toBe(1);
  });

  it('refuses what is wrong, in conflict, or has no room', async () => {
    const { house, submit } = await pipeline();
    const id = newTask(house.clock.now()).id;
    await submit.submit(TASK, ask({ headerKey: 'k', ...withFile(id, 'a'.repeat(64)) }));
    await configure(house, { maxDepth: 1 });
    await house.time.advance(250);
    const refusal = async (raw: unknown, given: Partial<SubmitAsk> = {}) => {
      const reply = await submit.precheck(raw, ask(given));
      return reply?.kind === 'refused' ? reply.problem.code : reply;
    };
    expect(await refusal({ ...TASK, type: '-' })).toBe('INVALID_TASK');
    expect(await refusal(TASK)).toBe('QUEUE_FULL');
    expect(await refusal({ ...TASK, type: 'else' }, { headerKey: 'k' })).toBe('IDEMPOTENCY_KEY_REUSED');
    // Only the file can tell whether it is the same request: it is read even though the queue is full.
    expect(await refusal(TASK, { headerKey: 'k' })).toBeNull();
    // Delayed work has a bound of its own.
    expect(await refusal({ ...TASK, delay_ms: 1_000 })).toBeNull();
    await configure(house, { maxScheduled: 0 });
    await house.time.advance(250);
    expect(await refusal({ ...TASK, delay_ms: 1_000 })).toBe('QUEUE_FULL');
  });

  it('knows the bound over all queues', async () => {
    const { house, submit } = await pipeline({ maxPending: 1 });
    await submit.submit(TASK, ask());
    await house.time.advance(250);
    expect(await submit.precheck({ ...TASK, queue: 'other' }, ask())).toMatchObject({
      problem: { code: 'SATURATED' },
    });
  });
});
