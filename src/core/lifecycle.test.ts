import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import type { Decision, Outcome } from './decision.ts';
import { type DecideContext, decide, expiryDecision, isExpired, type Leased } from './lifecycle.ts';
import { DEFAULT_SETTINGS, type SettlePolicy, settlePolicy } from './settings.ts';
import { isLegal, type TransitionEvent } from './transitions.ts';

const NOW = 1_750_000_000_000;
const POLICY = settlePolicy(DEFAULT_SETTINGS);
const TASK: Leased = {
  attempt: 1,
  maxAttempts: 3,
  retry: null,
  expiresAt: null,
  leaseLosses: 0,
  unknownSince: null,
};
const BOOM = { name: 'Error', message: 'boom', retryable: true };
const FATAL = { ...BOOM, retryable: false };

function outcomeOf(
  outcome: Outcome,
  over: { task?: Partial<Leased>; policy?: Partial<SettlePolicy>; random?: number } = {},
) {
  const context: DecideContext = {
    task: { ...TASK, ...over.task },
    policy: { ...POLICY, ...over.policy },
    at: NOW,
    random: over.random ?? 0.5,
  };
  return decide(context, outcome);
}

describe('decide', () => {
  it('ends a success with its result', () => {
    expect(outcomeOf({ kind: 'succeed', result: '{"a":1}' })).toEqual({
      decision: { to: 'succeeded', result: '{"a":1}' },
      outcome: 'succeeded',
      retryDelayMs: null,
    });
  });

  it('retries after the policy of the task, and records the delay', () => {
    expect(outcomeOf({ kind: 'fail', error: BOOM }, { task: { attempt: 2 } })).toEqual({
      decision: { to: 'retrying', availableAt: NOW + 2000, error: BOOM },
      outcome: 'retrying',
      retryDelayMs: 2000,
    });
    const retry = { baseMs: 10, multiplier: 1, maxMs: 10, jitter: 0 };
    expect(outcomeOf({ kind: 'fail', error: BOOM }, { task: { retry } }).retryDelayMs).toBe(10);
  });

  it('takes the delay that the handler asks for', () => {
    expect(outcomeOf({ kind: 'fail', error: BOOM, retryDelayMs: 7 }).decision).toMatchObject({
      to: 'retrying',
      availableAt: NOW + 7,
    });
  });

  it('gives up on the last attempt, and on a permanent failure at once', () => {
    expect(outcomeOf({ kind: 'fail', error: BOOM }, { task: { attempt: 3 } }).decision).toEqual({
      to: 'dead_lettered',
      reason: 'attempts_exhausted',
      error: BOOM,
    });
    expect(outcomeOf({ kind: 'fail', error: FATAL, retryDelayMs: 5 }).decision).toEqual({
      to: 'dead_lettered',
      reason: 'permanent_failure',
      error: FATAL,
    });
  });

  it('ends failed where dead letters are off', () => {
    const policy = { deadLetter: false };
    expect(outcomeOf({ kind: 'fail', error: FATAL }, { policy })).toEqual({
      decision: { to: 'failed', error: FATAL },
      outcome: 'failed',
      retryDelayMs: null,
    });
    expect(outcomeOf({ kind: 'expired' }, { policy }).decision).toEqual({ to: 'expired', error: null });
  });

  it('expires a retry that would start at or after the time to live, never one before it', () => {
    const at = (expiresAt: number) =>
      outcomeOf({ kind: 'fail', error: BOOM, retryDelayMs: 100 }, { task: { expiresAt } }).decision;
    expect(at(NOW + 101)).toMatchObject({ to: 'retrying' });
    expect(at(NOW + 100)).toEqual({ to: 'dead_lettered', reason: 'expired', error: BOOM });
  });

  it('gives the attempt back on defer and release', () => {
    expect(outcomeOf({ kind: 'defer', delayMs: 50 })).toEqual({
      decision: { to: 'scheduled', availableAt: NOW + 50, unknownSince: null },
      outcome: 'deferred',
      retryDelayMs: null,
    });
    expect(outcomeOf({ kind: 'release' }).decision).toEqual({ to: 'queued', cause: 'released' });
  });

  it('defers an unknown type with back-off until its time is over', () => {
    expect(outcomeOf({ kind: 'unknown_type' }).decision).toEqual({
      to: 'scheduled',
      availableAt: NOW + 1000,
      unknownSince: NOW,
    });
    const since = (unknownSince: number) =>
      outcomeOf({ kind: 'unknown_type' }, { task: { unknownSince } }).decision;
    expect(since(NOW - 5000)).toEqual({ to: 'scheduled', availableAt: NOW + 5000, unknownSince: NOW - 5000 });
    expect(since(NOW - POLICY.unknownTypeMaxMs)).toMatchObject({
      to: 'dead_lettered',
      reason: 'unknown_type',
    });
  });

  it('counts a lost lease as an attempt, and knows poison', () => {
    expect(outcomeOf({ kind: 'lease_lost' }).decision).toEqual({ to: 'queued', cause: 'lease_lost' });
    expect(outcomeOf({ kind: 'lease_lost' }, { task: { leaseLosses: 2 } }).decision).toMatchObject({
      to: 'dead_lettered',
      reason: 'lease_lost',
    });
    expect(outcomeOf({ kind: 'lease_lost' }, { task: { attempt: 3 } }).decision).toMatchObject({
      to: 'dead_lettered',
      reason: 'attempts_exhausted',
    });
  });
});

describe('expiryDecision', () => {
  it('goes to the dead letters only where both settings say so', () => {
    const to = (deadLetter: boolean, deadLetterOnExpiry: boolean) =>
      expiryDecision({ deadLetter, deadLetterOnExpiry }, null).to;
    expect(to(true, true)).toBe('dead_lettered');
    expect(to(true, false)).toBe('expired');
    expect(to(false, true)).toBe('expired');
    expect(to(false, false)).toBe('expired');
  });
});

describe('isExpired', () => {
  it('allows no start at the instant itself', () => {
    expect(isExpired(null, NOW)).toBe(false);
    expect(isExpired(NOW, NOW - 1)).toBe(false);
    expect(isExpired(NOW, NOW)).toBe(true);
  });
});

const anyError = fc.record({
  name: fc.constant('E'),
  message: fc.string({ maxLength: 5 }),
  retryable: fc.boolean(),
});
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant('succeed' as const), result: fc.option(fc.constant('1')) }),
  fc.record({ kind: fc.constant('fail' as const), error: anyError }),
  fc.record({ kind: fc.constant('fail' as const), error: anyError, retryDelayMs: fc.nat(5000) }),
  fc.record({ kind: fc.constant('defer' as const), delayMs: fc.nat(5000) }),
  ...(['release', 'unknown_type', 'expired', 'lease_lost'] as const).map((kind) => fc.constant({ kind })),
);
const anyPolicy = fc.record({
  deadLetter: fc.boolean(),
  deadLetterOnExpiry: fc.boolean(),
  maxLeaseLosses: fc.integer({ min: 1, max: 4 }),
  unknownTypeMaxMs: fc.nat(10_000),
});

/** Which event of the table a decision is. */
function eventOf(outcome: Outcome, { decision }: { decision: Decision }): TransitionEvent {
  switch (decision.to) {
    case 'succeeded':
      return 'succeed';
    case 'retrying':
      return 'retry';
    case 'scheduled':
      return 'defer';
    case 'queued':
      return decision.cause === 'released' ? 'release' : 'lease_lost';
    case 'expired':
      return 'expire';
    case 'dead_lettered':
      return decision.reason === 'expired' ? 'expire' : 'give_up';
    case 'failed':
      expect(outcome.kind).not.toBe('expired');
      return 'give_up';
  }
}

describe('any decision', () => {
  it('is a legal transition of a running task', () => {
    const anyTask = fc.record({
      attempt: fc.integer({ min: 1, max: 5 }),
      maxAttempts: fc.integer({ min: 1, max: 5 }),
      retry: fc.constant(null),
      expiresAt: fc.option(fc.integer({ min: NOW, max: NOW + 5000 })),
      leaseLosses: fc.nat(4),
      unknownSince: fc.option(fc.integer({ min: NOW - 20_000, max: NOW })),
    });
    holds(
      fc.property(anyTask, anyPolicy, anyOutcome, (task, policy, outcome) => {
        const settled = decide({ task, policy, at: NOW, random: 0.5 }, outcome);
        expect(isLegal('running', eventOf(outcome, settled), settled.decision.to)).toBe(true);
        if (settled.decision.to === 'dead_lettered') expect(policy.deadLetter).toBe(true);
        expect(settled.retryDelayMs !== null).toBe(settled.decision.to === 'retrying');
      }),
      2000,
    );
  });

  it('keeps attempt = deliveries - released - deferred within max_attempts, and losses within theirs (I13)', () => {
    holds(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        anyPolicy,
        fc.array(anyOutcome, { minLength: 1, maxLength: 60 }),
        (maxAttempts, policy, outcomes) => {
          const counts = { deliveries: 0, released: 0, deferred: 0, losses: 0 };
          let unknownSince: number | null = null;
          let over = false;
          for (const outcome of outcomes) {
            if (over) break;
            counts.deliveries += 1;
            const attempt = counts.deliveries - counts.released - counts.deferred;
            expect(attempt).toBeLessThanOrEqual(maxAttempts);
            const task = { ...TASK, attempt, maxAttempts, leaseLosses: counts.losses, unknownSince };
            const { decision } = decide({ task, policy, at: NOW, random: 0 }, outcome);
            over = !['queued', 'scheduled', 'retrying'].includes(decision.to);
            if (decision.to === 'scheduled') {
              counts.deferred += 1;
              unknownSince = decision.unknownSince;
            }
            if (decision.to === 'queued' && decision.cause === 'released') counts.released += 1;
            if (decision.to === 'queued' && decision.cause === 'lease_lost') counts.losses += 1;
            expect(counts.losses).toBeLessThan(policy.maxLeaseLosses);
          }
        },
      ),
      500,
    );
  });
});
