// The contract between a worker and the code that does the work: what a handler gets, may return and may throw.
// Read by duck typing (`isDeferral`, `isPermanent`, `retryDelayOf`), so that a handler built against another
// copy of this package is understood all the same.
import type { Instant, Task } from '../core/task.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The file that came with a task, where this worker can read it. */
export interface InputSource {
  /** A local path, readable until the handler ends. Never shown to clients. */
  readonly path: string;
  /** As the submitter named it. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export interface HandlerContext {
  /** Aborts on timeout, cancel, lost lease and shutdown past its grace. What is returned afterwards is ignored. */
  readonly signal: AbortSignal;
  /** 1-based; attempts spent, this one included. */
  readonly attempt: number;
  /** Reservations of this generation, this one included. */
  readonly deliveries: number;
  /** When the task's time to live ends; null for none. For the handler to check: nothing aborts at it. */
  readonly expiresAt: Instant | null;
  readonly task: Task;
  /** Reports progress, `percent` clamped to 0..100. Cheap: sent with the next heartbeat, the last one wins. */
  progress(percent: number, message?: string): void;
  /** The file that came with the task; null where none did. */
  input(): InputSource | null;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/**
 * Does one task. The value returned (any JSON value, <= 65536 bytes encoded; `undefined` becomes null) is the
 * task's result, unless it is `defer(ms)`. A throw fails the attempt, and the task is tried again while attempts
 * are left, except for a PermanentError.
 */
export type Handler = (payload: unknown, ctx: HandlerContext) => unknown;

/** A failure that no further attempt can mend: the task is dead-lettered at once. */
export class PermanentError extends Error {
  readonly retryable = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PermanentError';
  }
}

/** A failure whose next attempt should start in `retryDelayMs` (>= 0) rather than when the task's policy says. */
export class RetryAfterError extends Error {
  readonly retryDelayMs: number;

  constructor(retryDelayMs: number, message = `try again in ${retryDelayMs} ms`, options?: ErrorOptions) {
    checkDelay('RetryAfterError', retryDelayMs);
    super(message, options);
    this.name = 'RetryAfterError';
    this.retryDelayMs = retryDelayMs;
  }
}

const DEFERRAL = Symbol.for('sluice.deferral');

/** Returned by a handler: not now, come back in `delayMs`, and no attempt is spent. */
export interface Deferral {
  readonly [DEFERRAL]: true;
  readonly delayMs: number;
}

/** Makes the return value that puts the task off for `delayMs` (finite, >= 0); throws a RangeError otherwise. */
export function defer(delayMs: number): Deferral {
  checkDelay('defer', delayMs);
  return { [DEFERRAL]: true, delayMs };
}

export function isDeferral(value: unknown): value is Deferral {
  return typeof value === 'object' && value !== null && DEFERRAL in value;
}

/** True where a thrown value says of itself that no attempt can mend it (`retryable: false`). */
export function isPermanent(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'retryable' in thrown && thrown.retryable === false;
}

/** The delay that a thrown value asks for (`retryDelayMs`), null where it asks for none that can be used. */
export function retryDelayOf(thrown: unknown): number | null {
  if (typeof thrown !== 'object' || thrown === null || !('retryDelayMs' in thrown)) return null;
  const delay = thrown.retryDelayMs;
  return typeof delay === 'number' && Number.isFinite(delay) && delay >= 0 ? delay : null;
}

function checkDelay(what: string, delayMs: number): void {
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new RangeError(`${what}: the delay must be a finite number of milliseconds >= 0, got ${delayMs}`);
  }
}
