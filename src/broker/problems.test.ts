import { describe, expect, it } from 'vitest';
import { brokerHouse } from '../../test/support/broker-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import { ApiProblem, problem } from '../core/codes.ts';
import type { SettingsPatch } from '../core/settings.ts';
import { EngineError, type EngineErrorCode } from '../engine/errors.ts';
import type { FullResult } from '../engine/messages.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import { Gauges } from './gauges.ts';
import { problemOf, Refusals } from './problems.ts';

const full = (given: Partial<FullResult>): FullResult => ({
  outcome: 'full',
  limitName: 'max_depth',
  depth: 100,
  limit: 100,
  ...given,
});

/** Refusals of queue `q` that holds two tasks of 500 bytes and completes as many per second as told. */
async function refusalsAt(perS: number, about: { patch?: SettingsPatch; paused?: boolean } = {}) {
  const house = await brokerHouse();
  const call = { at: house.clock.now(), principal: ANONYMOUS };
  const [first] = await house.engine.submit(
    [0, 1].map(() => newTask(call.at, { queue: 'q', bytes: 500 })),
    call,
  );
  const { patch = {}, paused = false } = about;
  await house.engine.configure(
    { queue: 'q', patch, ...(paused ? { pause: { by: 'me', reason: null } } : {}) },
    call,
  );
  const gauges = new Gauges(house);
  if (first?.outcome !== 'created') throw new Error('not created');
  const done = { outcome: 'settled', status: 'succeeded' } as const;
  gauges.settled(Array(perS).fill({ id: first.id }), Array(perS).fill(done));
  return new Refusals(gauges, { retryAfterMinS: 1, retryAfterMaxS: 300 });
}

describe('refusals', () => {
  it('of a full queue say what is full, how full, and when to come back', async () => {
    const refusals = await refusalsAt(2);
    expect(await refusals.of('q', full({}))).toEqual({
      code: 'QUEUE_FULL',
      message: 'queue q is at its max_depth of 100',
      details: { queue: 'q', depth: 100, limit: 100, limit_name: 'max_depth' },
      retryAfterS: 5,
    });
  });

  it.each([
    ['places of tasks', full({}), 5],
    ['reserved places', full({ limitName: 'reserved_share' }), 5],
    // Two tasks of 500 bytes a second.
    ['bytes', full({ limitName: 'max_bytes', depth: 100_000, limit: 100_000 }), 10],
    // No worker makes their time come sooner.
    ['tasks that wait for a time', full({ limitName: 'max_scheduled' }), 5],
    ['a closed intake', full({ limit: 0 }), 30],
  ])('by %s', async (_, refusal, seconds) => {
    const refusals = await refusalsAt(2);
    expect((await refusals.of('q', refusal)).retryAfterS).toBe(seconds);
  });

  it('of a queue that nobody serves, or that is paused, give the fixed times', async () => {
    expect((await (await refusalsAt(0)).of('q', full({}))).retryAfterS).toBe(5);
    const paused = await refusalsAt(2, { paused: true });
    expect((await paused.of('q', full({}))).retryAfterS).toBe(30);
    expect((await paused.of('q', full({ limitName: 'max_scheduled' }))).retryAfterS).toBe(5);
    expect((await paused.of('unknown', full({}))).retryAfterS).toBe(5);
  });

  it('of a tenant, a key, one queue too many', async () => {
    const refusals = await refusalsAt(1);
    expect(await refusals.of('q', { outcome: 'tenant_full', depth: 20, limit: 20 })).toMatchObject({
      code: 'TENANT_FULL',
      details: { queue: 'q', depth: 20, limit: 20 },
      retryAfterS: 2,
    });
    expect(await refusals.of('q', { outcome: 'conflict', id: 'x' })).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: { task_id: 'x' },
      retryAfterS: null,
    });
    expect(await refusals.of('q', { outcome: 'queue_limit' })).toMatchObject({
      code: 'QUEUE_LIMIT',
      retryAfterS: 300,
    });
  });

  it('of all queues together go by all completions', async () => {
    expect((await refusalsAt(20)).saturated(1_200, 1_000)).toMatchObject({
      code: 'SATURATED',
      details: { pending: 1_200, max_pending: 1_000 },
      retryAfterS: 15,
    });
  });
});

describe('problemOf', () => {
  it('unwraps what was thrown on purpose', () => {
    const told = problem('NOT_FOUND', 'no such task');
    expect(problemOf(new ApiProblem(told))).toBe(told);
  });

  it.each<[EngineErrorCode, string | null]>([
    ['STORE_UNAVAILABLE', 'STORE_UNAVAILABLE'],
    ['CLOSED', 'STORE_UNAVAILABLE'],
    ['STORE_FULL', 'SATURATED'],
    ['INVALID_CURSOR', 'INVALID_REQUEST'],
    ['INVALID_CALL', null],
    ['SCHEMA_NEWER', null],
    ['SECOND_OWNER', null],
    ['CORRUPT', null],
  ])('%s is told as %s', (code, told) => {
    expect(problemOf(new EngineError(code, 'secret'))?.code ?? null).toBe(told);
  });

  it('says whether anything may have been done, and when to come back', () => {
    const lost = problemOf(new EngineError('STORE_UNAVAILABLE', 'secret', { outcome: 'unknown' }));
    expect(lost).toMatchObject({ details: { outcome: 'unknown' }, retryAfterS: 5 });
    expect(JSON.stringify(lost)).not.toContain('secret');
    expect(problemOf(new EngineError('STORE_FULL', 'secret'))?.retryAfterS).toBe(5);
  });

  it('knows a defect by not knowing it', () => {
    expect(problemOf(new TypeError('x'))).toBeNull();
    expect(problemOf('x')).toBeNull();
  });
});
