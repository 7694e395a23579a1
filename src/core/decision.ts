// What may be decided about a running task, as data. core/lifecycle.ts makes decisions, engines store them.
import type { AttemptOutcome, DeadLetterReason, Instant, TaskError } from './task.ts';

/** How a delivery ended, as a worker (or the reaper) reports it. */
export type Outcome =
  | { readonly kind: 'succeed'; readonly result: string | null }
  | { readonly kind: 'fail'; readonly error: TaskError; readonly retryDelayMs?: number }
  | { readonly kind: 'defer'; readonly delayMs: number }
  | { readonly kind: 'release' }
  /** No handler knows the type: deferred with back-off, dead-lettered after `unknownTypeMaxMs`. */
  | { readonly kind: 'unknown_type' }
  /** The time to live had passed before the handler could start. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'lease_lost' };

/** The next state, complete: an engine writes it down and counts it, and adds nothing of its own but a cancel. */
export type Decision =
  | { readonly to: 'succeeded'; readonly result: string | null }
  | { readonly to: 'retrying'; readonly availableAt: Instant; readonly error: TaskError }
  | { readonly to: 'dead_lettered'; readonly reason: DeadLetterReason; readonly error: TaskError | null }
  | { readonly to: 'failed'; readonly error: TaskError | null }
  | { readonly to: 'expired'; readonly error: TaskError | null }
  /** Deferred: the attempt is given back. `unknownSince` is kept where the type was unknown, else null. */
  | { readonly to: 'scheduled'; readonly availableAt: Instant; readonly unknownSince: Instant | null }
  /** Back to the head of its tenant's line: a release gives the attempt back, a lost lease counts a loss. */
  | { readonly to: 'queued'; readonly cause: 'released' | 'lease_lost' };

/** One decision with the attempt's record, ready to be stored under the lease token that it answers. */
export interface Settled {
  readonly decision: Decision;
  readonly outcome: AttemptOutcome;
  readonly retryDelayMs: number | null;
}
