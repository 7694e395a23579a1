// May a queue start a task now? Its pause, its ceiling over all workers, and its rate, asked before any head is looked at.
import { rateVerdict } from './rate.ts';
import type { QueueSettings } from './settings.ts';
import type { Instant } from './task.ts';

export interface PaceState {
  readonly paused: boolean;
  readonly running: number;
  /** GCRA state (rate.ts). */
  readonly tat: number | null;
}

/**
 * @returns `tat` is to be kept also where the answer is no: after a clock went back, a refusal is what cuts the old debt
 * down. A start then takes its own place in the rate (rateVerdict).
 */
export function paceVerdict(
  { paused, running, tat }: PaceState,
  { maxRunning, rate }: Pick<QueueSettings, 'maxRunning' | 'rate'>,
  at: Instant,
): { readonly open: boolean; readonly tat: number | null } {
  if (paused || (maxRunning !== null && running >= maxRunning)) return { open: false, tat };
  if (rate === null) return { open: true, tat };
  const verdict = rateVerdict(tat, at, rate);
  return verdict.allowed ? { open: true, tat } : { open: false, tat: verdict.tat };
}
