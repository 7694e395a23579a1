// Rate limits by GCRA (the generic cell rate algorithm, ITU-T I.371, in its virtual scheduling form).
import type { RateLimit } from './settings.ts';
import type { Instant } from './task.ts';

export interface RateVerdict {
  readonly allowed: boolean;
  /** The theoretical arrival time to keep, also where not allowed: then it only changes to forgive debt of a clock that went back. */
  readonly tat: number;
  /** When the next start would be allowed, if nothing else starts before. */
  readonly nextAt: Instant;
}

/**
 * Two instants that differ by less than this are the same double (until the year 2109). Intervals are rounded up to it, so
 * that sums of them are exact: a sum that rounds down each time would let more through than the limit, and at a million
 * starts per second would let everything through. The price: at 10 starts per ms the pace is 0.1 % below the limit.
 */
const TICK_MS = 2 ** -11;

/** The steepest rate that the settings may ask for; there the pace is up to 5 % below the limit. */
export const STARTS_PER_MS_MAX = 100;

/**
 * One start at `at`. In any window t the allowed starts are <= limit x t / perMs + burst.
 * A clock that goes back never leaves a debt of more than one full burst.
 * @param tat what the last verdict kept; null before the first start
 */
export function rateVerdict(tat: number | null, at: Instant, rate: RateLimit): RateVerdict {
  const interval = Math.ceil(rate.perMs / rate.limit / TICK_MS) * TICK_MS;
  const tolerance = interval * (rate.burst - 1);
  const due = Math.min(tat ?? at, at + interval * rate.burst);
  if (due - tolerance > at) return { allowed: false, tat: due, nextAt: Math.ceil(due - tolerance) };
  const next = Math.max(due, at) + interval;
  return { allowed: true, tat: next, nextAt: Math.max(at, Math.ceil(next - tolerance)) };
}
