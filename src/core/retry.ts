// How long to wait before the next attempt.
import type { RetryPolicy } from './task.ts';

export const DEFAULT_RETRY: RetryPolicy = { baseMs: 1_000, multiplier: 2, maxMs: 60_000, jitter: 0.2 };

/**
 * min(maxMs, baseMs x multiplier^(attempt-1)), then +- jitter; whole milliseconds, >= 0.
 * @param attempt the attempt that just failed, 1-based
 * @param random uniform in [0, 1)
 */
export function retryDelayMs(attempt: number, policy: RetryPolicy | null, random: number): number {
  const { baseMs, multiplier, maxMs, jitter } = policy ?? DEFAULT_RETRY;
  const nominal = Math.min(maxMs, baseMs * multiplier ** (attempt - 1));
  return Math.max(0, Math.round(nominal * (1 + jitter * (2 * random - 1))));
}

const UNKNOWN_TYPE_MIN_MS = 1_000;
const UNKNOWN_TYPE_MAX_MS = 60_000;

/** Back-off for a type that no worker knew: as long as it has waited already, in 1..60 s, so that waits double. */
export function unknownTypeDelayMs(waitedMs: number): number {
  return Math.min(UNKNOWN_TYPE_MAX_MS, Math.max(UNKNOWN_TYPE_MIN_MS, waitedMs));
}
