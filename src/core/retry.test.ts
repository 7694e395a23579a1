import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { DEFAULT_RETRY, retryDelayMs, unknownTypeDelayMs } from './retry.ts';

const anyPolicy = fc.record({
  baseMs: fc.nat(2_592_000_000),
  multiplier: fc.double({ min: 1, max: 100, noNaN: true }),
  maxMs: fc.nat(2_592_000_000),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
});
const anyRandom = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('retryDelayMs', () => {
  it('is 1 s doubling to 60 s by default, in the middle of its jitter', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempt) => retryDelayMs(attempt, null, 0.5));
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('spreads by a fifth to each side by default', () => {
    expect(retryDelayMs(1, null, 0)).toBe(800);
    expect(retryDelayMs(1, null, 0.9999999)).toBe(1200);
    expect(retryDelayMs(9, null, 0.9999999)).toBe(72_000);
  });

  it('stays within the nominal delay and its jitter, in whole milliseconds', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 100 }), anyPolicy, anyRandom, (attempt, policy, random) => {
        const delay = retryDelayMs(attempt, policy, random);
        const nominal = Math.min(policy.maxMs, policy.baseMs * policy.multiplier ** (attempt - 1));
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(nominal * (1 - policy.jitter)));
        expect(delay).toBeLessThanOrEqual(Math.ceil(nominal * (1 + policy.jitter)));
      }),
    );
  });

  it('never shrinks from one attempt to the next, jitter aside', () => {
    holds(
      fc.property(fc.integer({ min: 1, max: 99 }), anyPolicy, (attempt, policy) => {
        expect(retryDelayMs(attempt + 1, policy, 0.5)).toBeGreaterThanOrEqual(
          retryDelayMs(attempt, policy, 0.5),
        );
      }),
    );
  });

  it('knows a base of 0 as at once', () => {
    expect(retryDelayMs(50, { ...DEFAULT_RETRY, baseMs: 0 }, 0.99)).toBe(0);
  });
});

describe('unknownTypeDelayMs', () => {
  it('doubles the wait between 1 s and 60 s', () => {
    const waits: number[] = [];
    for (let waited = 0; waits.length < 9; ) {
      const delay = unknownTypeDelayMs(waited);
      waits.push(delay);
      waited += delay;
    }
    expect(waits).toEqual([1000, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  });
});
