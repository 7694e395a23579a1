import { describe, expect, it } from 'vitest';
import { defer } from './handler.ts';
import { outcomeOf } from './result.ts';

describe('outcomeOf', () => {
  it('writes results as compact JSON; nothing is null', () => {
    expect(outcomeOf({ a: [1, 'x'] })).toEqual({ kind: 'succeed', result: '{"a":[1,"x"]}' });
    expect(outcomeOf(undefined)).toEqual({ kind: 'succeed', result: null });
    expect(outcomeOf(null)).toEqual({ kind: 'succeed', result: null });
    expect(outcomeOf(0)).toEqual({ kind: 'succeed', result: '0' });
  });

  it('reads a deferral', () => {
    expect(outcomeOf(defer(250.5))).toEqual({ kind: 'defer', delayMs: 251 });
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const cases: [string, unknown, RegExp][] = [
    ['a BigInt', { n: 1n }, /BigInt/],
    ['a cycle', cycle, /circular/i],
    ['a throwing toJSON', { toJSON: boom }, /toJSON/],
    [
      'a throwing getter',
      {
        get x() {
          return boom();
        },
      },
      /getter/,
    ],
    ['a function', () => 1, /function/],
    ['a symbol', Symbol('s'), /symbol/],
    ['a hostile proxy', new Proxy({}, { has: boom, get: boom, ownKeys: boom }), /threw/],
  ];
  it.each(cases)('%s is a permanent failure', (_, value, message) => {
    const outcome = outcomeOf(value);
    expect(outcome).toMatchObject({ kind: 'fail', error: { name: 'ResultError', retryable: false } });
    if (outcome.kind === 'fail') expect(outcome.error.message).toMatch(message);
  });

  it('counts UTF-8 bytes against the bound', () => {
    expect(outcomeOf('x'.repeat(65_534)).kind).toBe('succeed');
    expect(outcomeOf('x'.repeat(65_535)).kind).toBe('fail');
    expect(outcomeOf('é'.repeat(32_767)).kind).toBe('succeed');
    expect(outcomeOf('é'.repeat(32_768)).kind).toBe('fail');
  });

  it('never shows what a toJSON throws', () => {
    const outcome = outcomeOf({
      toJSON() {
        throw new Error('secret 4111');
      },
    });
    expect(JSON.stringify(outcome)).not.toContain('4111');
  });
});

function boom(): never {
  throw new Error('boom');
}
