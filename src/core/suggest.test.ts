import { describe, expect, it } from 'vitest';
import { didYouMean, suggest } from './suggest.ts';

const NAMES = ['priority', 'payload', 'max_attempts', 'max_depth', 'ttl_ms', 'queue'];

describe('suggest', () => {
  it.each([
    ['priorty', 'priority'],
    ['Priority', 'priority'],
    ['maxAttempts', 'max_attempts'],
    ['max-depth', 'max_depth'],
    ['max_depht', 'max_depth'],
    ['ttl', null],
    ['ttl_m', 'ttl_ms'],
    ['queu', 'queue'],
    ['', null],
    ['colour', null],
    ['x'.repeat(10_000), null],
    ['__proto__', null],
  ])('%s -> %s', (given, near) => {
    expect(suggest(given, NAMES)).toBe(near);
  });

  it('takes the first of equally near ones', () => {
    expect(suggest('ac', ['ab', 'ad'])).toBe('ab');
  });
});

describe('didYouMean', () => {
  it('is the tail of a line, or nothing', () => {
    expect(didYouMean('queu', NAMES)).toBe(' (did you mean queue?)');
    expect(didYouMean('zzz', NAMES)).toBe('');
  });
});
