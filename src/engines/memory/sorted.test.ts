import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/seed.ts';
import { Sorted } from './sorted.ts';

const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });

describe('Sorted', () => {
  it('holds what was added and not removed, in order, from either end', () => {
    holds(
      fc.property(numbers, numbers, (added, removed) => {
        const sorted = new Sorted<number>((a, b) => a < b);
        for (const number of added) sorted.add(number);
        for (const number of removed) sorted.remove(number);
        const left = added.filter((number) => !removed.includes(number)).sort((a, b) => b - a);
        expect([...sorted.descending(null)]).toEqual(left);
        expect(sorted.size).toBe(left.length);
        expect(sorted.first()).toBe(left.at(-1));
      }),
    );
  });

  it('pages down from anywhere, also from what is not in it', () => {
    holds(
      fc.property(numbers, fc.integer({ min: -1, max: 61 }), (added, below) => {
        const sorted = new Sorted<number>((a, b) => a < b);
        for (const number of added) sorted.add(number);
        const expected = added.filter((number) => number < below).sort((a, b) => b - a);
        expect([...sorted.descending(below)]).toEqual(expected);
      }),
    );
  });
});
