import { describe, expect, it } from 'vitest';
import { type DrainFacts, retryAfterS } from './retry-after.ts';

const bounds = { minS: 1, maxS: 300 };
const facts = (given: Partial<DrainFacts>): DrainFacts => ({
  depth: 100,
  limit: 100,
  completionPerS: 1,
  paused: false,
  ...given,
});

describe('retryAfterS', () => {
  it.each([
    ['the excess over nine tenths at the rate seen', facts({}), 10],
    ['rounded up', facts({ completionPerS: 3 }), 4],
    ['a queue far over a lowered limit', facts({ depth: 500, completionPerS: 10 }), 41],
    ['never less than a task of excess', facts({ depth: 10, completionPerS: 0.5 }), 2],
    ['never less than a second', facts({ completionPerS: 1_000_000 }), 1],
    ['no more than the upper bound', facts({ completionPerS: 0.001 }), 300],
    ['5 where no rate is known', facts({ completionPerS: 0 }), 5],
    ['30 where the queue is paused, at any rate', facts({ paused: true, completionPerS: 1_000 }), 30],
    ['30 where the intake is closed', facts({ depth: 0, limit: 0 }), 30],
    ['a limit of one', facts({ depth: 1, limit: 1, completionPerS: 2 }), 1],
  ])('%s', (_, given, seconds) => {
    expect(retryAfterS(given, bounds)).toBe(seconds);
  });

  it('keeps to the bounds also where nothing is known', () => {
    expect(retryAfterS(facts({ completionPerS: 0 }), { minS: 7, maxS: 300 })).toBe(7);
    expect(retryAfterS(facts({ paused: true }), { minS: 1, maxS: 20 })).toBe(20);
    expect(retryAfterS(facts({ completionPerS: 0 }), { minS: 0, maxS: 0 })).toBe(1);
  });
});
