import { describe, expect, it } from 'vitest';
import { brokenJsonRule, NESTING_MAX } from './json.ts';

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + (open === '[' ? '' : '1') + close.repeat(depth));

describe('brokenJsonRule', () => {
  it('passes what comes back as it was', () => {
    for (const text of [
      'null',
      '1',
      '"\\ud800"',
      '[]',
      '{"a":[{"b":null}]}',
      '{"__proto__":{"x":1}}',
      '-0',
      '1e308',
    ]) {
      expect(brokenJsonRule(JSON.parse(text))).toBeNull();
    }
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('allows 32 levels of %s and no more', (open, close) => {
    expect(brokenJsonRule(nested(NESTING_MAX, open, close))).toBeNull();
    expect(brokenJsonRule(nested(NESTING_MAX + 1, open, close))).toBe('nesting of at most 32');
    expect(brokenJsonRule(nested(50_000, open, close))).toBe('nesting of at most 32');
  });

  it('refuses numbers that JSON text would turn into null', () => {
    for (const text of ['1e309', '-1e309', '[1,[2,{"a":1e999}]]', '{"a":[1e309]}']) {
      expect(brokenJsonRule(JSON.parse(text))).toBe('numbers within the range of a double');
    }
    expect(brokenJsonRule([Number.NaN])).not.toBeNull();
  });
});
