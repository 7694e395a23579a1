// What a worker needs from its surroundings and must not take by itself: time, timers, randomness, its log.
// Tests give fakes; `systemEnv` is the real thing.
import { randomBytes } from 'node:crypto';
import type { Instant } from '../core/task.ts';
import type { LogLevel } from './handler.ts';

export type Cancel = () => void;

export interface WorkerTimers {
  /** Calls `fire` once, `ms` (>= 0) from now. */
  after(ms: number, fire: () => void): Cancel;
  /** Calls `fire` once everything that is ready now has run: this is how a burst becomes one batch. */
  soon(fire: () => void): void;
}

export type WorkerLog = (
  level: LogLevel,
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface WorkerEnv {
  /** The store's time. */
  now(): Instant;
  /** Monotonic milliseconds from any origin: timeouts and renewals must not feel a corrected clock. */
  elapsed(): number;
  readonly timers: WorkerTimers;
  /** Uniform in [0, 1). */
  random(): number;
  /** An unguessable text of at least 64 bits. */
  nonce(): string;
  readonly log: WorkerLog;
}

/** A timer must never fire early because its delay overflowed Node's 32 bits. */
const TIMER_MAX_MS = 2_147_483_647;

const systemTimers: WorkerTimers = {
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(TIMER_MAX_MS, Math.max(0, ms)));
    return () => clearTimeout(timer);
  },
  soon(fire) {
    setImmediate(fire);
  },
};

/** Real time and randomness; `now` may be replaced by a clock calibrated on the store. */
export function systemEnv(given: Partial<WorkerEnv> = {}): WorkerEnv {
  return {
    now: () => Math.floor(performance.timeOrigin + performance.now()),
    elapsed: () => performance.now(),
    timers: systemTimers,
    random: Math.random,
    nonce: () => randomBytes(12).toString('base64url'),
    log: () => undefined,
    ...given,
  };
}
