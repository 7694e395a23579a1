// When a refused client should come back, from how the queue drains.

export interface DrainFacts {
  /** What is counted against the limit now. */
  readonly depth: number;
  readonly limit: number;
  /** Measured completions per second; 0 where none were seen. */
  readonly completionPerS: number;
  readonly paused: boolean;
}

const UNKNOWN_S = 5;
const PAUSED_S = 30;
const LOW_WATER = 0.9;

/**
 * Seconds until the depth is under nine tenths of the limit: ceil(excess / completion rate); 5 where no rate is known,
 * 30 where the queue is paused or its intake closed. Whole seconds within the bounds, >= 1.
 */
export function retryAfterS(
  facts: DrainFacts,
  bounds: { readonly minS: number; readonly maxS: number },
): number {
  const clamp = (seconds: number) => Math.max(1, bounds.minS, Math.min(bounds.maxS, seconds));
  if (facts.paused || facts.limit === 0) return clamp(PAUSED_S);
  if (facts.completionPerS <= 0) return clamp(UNKNOWN_S);
  const excess = Math.max(1, facts.depth - Math.floor(LOW_WATER * facts.limit));
  return clamp(Math.ceil(excess / facts.completionPerS));
}
