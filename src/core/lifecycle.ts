// What becomes of a running task: pure decisions over what a worker reported. Engines store them as they are.
import type { Decision, Outcome, Settled } from './decision.ts';
import { retryDelayMs, unknownTypeDelayMs } from './retry.ts';
import type { SettlePolicy } from './settings.ts';
import type { AttemptOutcome, DeadLetterReason, Instant, Task, TaskError } from './task.ts';

/** The facts of a leased task that a decision rests on; they cannot change under its token. */
export type Leased = Pick<
  Task,
  'attempt' | 'maxAttempts' | 'retry' | 'expiresAt' | 'leaseLosses' | 'unknownSince'
>;

export interface DecideContext {
  readonly task: Leased;
  readonly policy: SettlePolicy;
  readonly at: Instant;
  /** Uniform in [0, 1): the retry's jitter. */
  readonly random: number;
}

/** The one place where the end of a delivery is decided. */
export function decide(context: DecideContext, outcome: Outcome): Settled {
  const { task, policy, at } = context;
  switch (outcome.kind) {
    case 'succeed':
      return settled({ to: 'succeeded', result: outcome.result }, 'succeeded');
    case 'fail':
      return decideFailure(context, outcome.error, outcome.retryDelayMs);
    case 'defer':
      return settled({ to: 'scheduled', availableAt: at + outcome.delayMs, unknownSince: null }, 'deferred');
    case 'release':
      return settled({ to: 'queued', cause: 'released' }, 'released');
    case 'unknown_type':
      return decideUnknownType(context);
    case 'expired':
      return settled(expiryDecision(policy, null), 'expired');
    case 'lease_lost':
      if (task.leaseLosses + 1 >= policy.maxLeaseLosses) return dead(policy, 'lease_lost', null);
      if (task.attempt >= task.maxAttempts) return dead(policy, 'attempts_exhausted', null);
      return settled({ to: 'queued', cause: 'lease_lost' }, 'lease_lost');
  }
}

/** Where a task goes whose time to live has passed: also for waiting tasks, in every engine's expire pass. */
export function expiryDecision(
  policy: Pick<SettlePolicy, 'deadLetter' | 'deadLetterOnExpiry'>,
  error: TaskError | null,
): Extract<Decision, { to: 'dead_lettered' | 'expired' }> {
  if (policy.deadLetter && policy.deadLetterOnExpiry)
    return { to: 'dead_lettered', reason: 'expired', error };
  return { to: 'expired', error };
}

/** True where a start at `at` would be too late. */
export function isExpired(expiresAt: Instant | null, at: Instant): boolean {
  return expiresAt !== null && at >= expiresAt;
}

function decideFailure(
  { task, policy, at, random }: DecideContext,
  error: TaskError,
  askedMs?: number,
): Settled {
  if (!error.retryable) return dead(policy, 'permanent_failure', error);
  if (task.attempt >= task.maxAttempts) return dead(policy, 'attempts_exhausted', error);
  const delayMs = askedMs ?? retryDelayMs(task.attempt, task.retry, random);
  const availableAt = at + delayMs;
  if (isExpired(task.expiresAt, availableAt)) return settled(expiryDecision(policy, error), 'expired');
  return settled({ to: 'retrying', availableAt, error }, 'retrying', delayMs);
}

function decideUnknownType({ task, policy, at }: DecideContext): Settled {
  const unknownSince = task.unknownSince ?? at;
  const waited = at - unknownSince;
  if (waited >= policy.unknownTypeMaxMs) return dead(policy, 'unknown_type', null);
  return settled({ to: 'scheduled', availableAt: at + unknownTypeDelayMs(waited), unknownSince }, 'deferred');
}

function dead(policy: SettlePolicy, reason: DeadLetterReason, error: TaskError | null): Settled {
  if (!policy.deadLetter) return settled({ to: 'failed', error }, 'failed');
  return settled({ to: 'dead_lettered', reason, error }, 'dead_lettered');
}

function settled(decision: Decision, outcome: AttemptOutcome, retryDelay: number | null = null): Settled {
  return { decision, outcome, retryDelayMs: retryDelay };
}
