import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { rateVerdict } from './rate.ts';
import type { RateLimit } from './settings.ts';

const NOW = 1_750_000_000_000;

/** Asks at each instant; the instants of the starts that were allowed. */
function starts(rate: RateLimit, instants: readonly number[]): number[] {
  let tat: number | null = null;
  const allowed: number[] = [];
  for (const at of instants) {
    const verdict = rateVerdict(tat, at, rate);
    if (verdict.allowed) allowed.push(at);
    tat = verdict.tat;
  }
  return allowed;
}

const anyRate = fc.record({
  limit: fc.integer({ min: 1, max: 5000 }),
  perMs: fc.integer({ min: 50, max: 100_000 }),
  burst: fc.integer({ min: 1, max: 50 }),
});

const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), fc.nat(500)), {
  minLength: 1,
  maxLength: 400,
});

const instantsOf = (steps: readonly number[]) => {
  let at = NOW;
  return steps.map((step) => {
    at += step;
    return at;
  });
};

describe('rateVerdict', () => {
  it('lets a full burst through at once, and not one more', () => {
    expect(starts({ limit: 3, perMs: 1000, burst: 5 }, Array(20).fill(NOW))).toHaveLength(5);
  });

  it('spaces starts evenly with a burst of 1', () => {
    const every = Array.from({ length: 1000 }, (_, ms) => NOW + ms);
    expect(starts({ limit: 4, perMs: 1000, burst: 1 }, every)).toEqual([
      NOW,
      NOW + 250,
      NOW + 500,
      NOW + 750,
    ]);
  });

  it('never allows more than limit x t / perMs + burst in any window', () => {
    holds(
      fc.property(anyRate, gaps, (rate, steps) => {
        const allowed = starts(rate, instantsOf(steps));
        let excess = 0;
        for (const [from, first] of allowed.entries()) {
          for (const [count, last] of allowed.slice(from).entries()) {
            const most = (rate.limit * (last - first)) / rate.perMs + rate.burst;
            excess = Math.max(excess, count + 1 - Math.floor(most + 1e-9));
          }
        }
        expect(excess).toBe(0);
      }),
    );
  });

  it('keeps its pace over a long run: what was asked for, less what rounding intervals up costs', () => {
    for (const rate of [
      { limit: 10, perMs: 1, burst: 20 },
      { limit: 85, perMs: 1, burst: 200 },
      { limit: 7, perMs: 1000, burst: 1 },
    ]) {
      const length = 5000;
      const asked = Array.from({ length: length * 150 }, (_, i) => NOW + Math.floor(i / 150));
      const wanted = (rate.limit * length) / rate.perMs;
      const { length: got } = starts(rate, asked);
      expect(got).toBeLessThanOrEqual(wanted + rate.burst);
      expect(got).toBeGreaterThanOrEqual(Math.floor(wanted * 0.95));
    }
  });

  it('tells the first instant at which a start is allowed', () => {
    holds(
      fc.property(anyRate, gaps, (rate, steps) => {
        let tat: number | null = null;
        for (const at of instantsOf(steps)) {
          const verdict = rateVerdict(tat, at, rate);
          expect(rateVerdict(verdict.tat, verdict.nextAt, rate).allowed).toBe(true);
          if (verdict.nextAt > at)
            expect(rateVerdict(verdict.tat, verdict.nextAt - 1, rate).allowed).toBe(false);
          tat = verdict.tat;
        }
      }),
    );
  });

  it('changes nothing where it refuses', () => {
    const rate = { limit: 1, perMs: 1000, burst: 1 };
    const { tat } = rateVerdict(null, NOW, rate);
    expect(rateVerdict(tat, NOW + 1, rate)).toEqual({ allowed: false, tat, nextAt: NOW + 1000 });
  });

  it('owes at most one burst after the clock went back an hour', () => {
    const rate = { limit: 10, perMs: 1000, burst: 5 };
    const { tat } = rateVerdict(null, NOW + 3_600_000, rate);
    const verdict = rateVerdict(tat, NOW, rate);
    expect(verdict.allowed).toBe(false);
    expect(verdict.nextAt - NOW).toBeLessThanOrEqual(500);
  });
});
