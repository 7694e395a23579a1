// The nouns of Sluice: a task, its states, its attempts. Types only; every floor above speaks in these.
// Wire names are snake_case (docs/reference); here everything is camelCase and mapped at the edge.

/** Milliseconds since the Unix epoch, on the store's clock. */
export type Instant = number;

export const TASK_STATUSES = [
  'scheduled',
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'dead_lettered',
  'cancelled',
  'expired',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const FINAL_STATUSES = ['succeeded', 'failed', 'dead_lettered', 'cancelled', 'expired'] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];

/** True where only a redrive can change the status again. */
export function isFinal(status: TaskStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

/** Priorities 0..9; 9 runs first. A lane is one queue at one priority. */
export const PRIORITIES = 10;

/** A delivery past this many within a generation is poison: the task is dead-lettered instead. */
export const MAX_DELIVERIES = 1000;

/** How many attempts a task's record keeps (the newest). */
export const ATTEMPTS_KEPT = 20;

export interface RetryPolicy {
  /** Delay before the second attempt, ms. */
  readonly baseMs: number;
  readonly multiplier: number;
  /** Upper bound of a delay before jitter, ms. */
  readonly maxMs: number;
  /** Share of the delay, 0..1, that the jitter may add or take. */
  readonly jitter: number;
}

export const DEAD_LETTER_REASONS = [
  'attempts_exhausted',
  'permanent_failure',
  'unknown_type',
  'lease_lost',
  'too_many_deliveries',
  'expired',
] as const;
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];

export type CancelReason = 'requested' | 'purged';

/** A handler's error as kept: name <= 100 characters, message <= 500 characters, never a payload. */
export interface TaskError {
  readonly name: string;
  readonly message: string;
  readonly retryable: boolean;
}

const ATTEMPT_OUTCOMES = [
  'succeeded',
  'retrying',
  'failed',
  'dead_lettered',
  'cancelled',
  'expired',
  'deferred',
  'released',
  'lease_lost',
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

export interface AttemptRecord {
  /** 1-based. A deferred or released delivery shows the number that it gave back. */
  readonly attempt: number;
  readonly workerId: string;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly outcome: AttemptOutcome;
  readonly error: TaskError | null;
  readonly retryDelayMs: number | null;
}

export interface Progress {
  /** 0..100 */
  readonly percent: number;
  readonly message: string;
}

/** The file that came with a task. `path` is a server-made name under the files folder, never a client's. */
export interface InputFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly path: string;
}

/** What a submitter fixes once and for all. JSON values travel as compact JSON text. */
export interface TaskSpec {
  readonly queue: string;
  readonly type: string;
  readonly payload: string;
  readonly metadata: string;
  /** UTF-8 bytes of payload + metadata: what `max_bytes` counts. */
  readonly bytes: number;
  readonly priority: number;
  readonly tenant: string;
  /** The principal that submitted: an API key's stable name, or `anonymous`. */
  readonly client: string;
  readonly idempotencyKey: string | null;
  readonly ttlMs: number | null;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** null: the default policy. */
  readonly retry: RetryPolicy | null;
  readonly input: InputFile | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** A task as a store knows it. */
export interface Task extends TaskSpec {
  readonly id: string;
  readonly status: TaskStatus;
  /** Attempts spent: deliveries - released - deferred (a purely derived figure, kept for readers). */
  readonly attempt: number;
  /** Reservations of this generation. */
  readonly deliveries: number;
  /** Lost leases of this generation. */
  readonly leaseLosses: number;
  readonly generation: number;
  readonly createdAt: Instant;
  readonly availableAt: Instant;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  /** createdAt (or redrive) + ttlMs; no start at or after it. */
  readonly expiresAt: Instant | null;
  /** Since when this generation has been deferred for an unknown type; null once it starts for real. */
  readonly unknownSince: Instant | null;
  readonly progress: Progress | null;
  /** JSON text, <= 65536 bytes; null before success and after `result_retention_s`. */
  readonly result: string | null;
  readonly lastError: TaskError | null;
  /** Oldest first, at most ATTEMPTS_KEPT. */
  readonly attempts: readonly AttemptRecord[];
  readonly cancelRequested: boolean;
  readonly cancelReason: CancelReason | null;
  /** Kept also after the dead letter left the DLQ; `inDlq` tells. */
  readonly deadLetter: { readonly reason: DeadLetterReason; readonly at: Instant } | null;
  readonly inDlq: boolean;
}
