import { describe, expect, it } from 'vitest';
import { PermanentError, RetryAfterError } from './handler.ts';
import { boundedDelay, failureOf } from './task-error.ts';

function errorOf(thrown: unknown) {
  const outcome = failureOf(thrown);
  if (outcome.kind !== 'fail') throw new Error('not a failure');
  return outcome.error;
}

describe('failureOf', () => {
  it('keeps name and message of an error, and that it may be tried again', () => {
    expect(errorOf(new TypeError('no'))).toEqual({ name: 'TypeError', message: 'no', retryable: true });
    expect(errorOf(new PermanentError('never'))).toEqual({
      name: 'PermanentError',
      message: 'never',
      retryable: false,
    });
  });

  it('takes the delay that an error asks for, within ten years', () => {
    expect(failureOf(new RetryAfterError(1500.2))).toMatchObject({ retryDelayMs: 1501 });
    expect(failureOf(new RetryAfterError(Number.MAX_VALUE))).toMatchObject({ retryDelayMs: 315_360_000_000 });
    expect(failureOf({ message: 'x', retryDelayMs: Number.NaN })).not.toHaveProperty('retryDelayMs');
  });

  it('describes whatever is thrown, without its content', () => {
    expect(errorOf('just text').message).toBe('just text');
    expect(errorOf(undefined).message).toBe('the handler threw undefined');
    expect(errorOf(null).message).toBe('the handler threw null');
    expect(errorOf(7n).message).toBe('the handler threw 7');
    expect(errorOf(Symbol('s')).message).toBe('the handler threw Symbol(s)');
    expect(errorOf({ card: '4111' }).message).toBe('the handler threw an object without a message');
    expect(errorOf(() => 1).message).toBe('the handler threw a function');
  });

  it('survives values that throw when they are looked at', () => {
    const hostile = new Proxy({}, { get: fail, has: fail, getPrototypeOf: fail, ownKeys: fail });
    expect(errorOf(hostile)).toEqual({
      name: 'Error',
      message: 'the handler threw an object without a message',
      retryable: true,
    });
    const getters = {
      get name(): string {
        throw new Error('name');
      },
      get message(): string {
        throw new Error('message');
      },
      get retryable(): boolean {
        throw new Error('retryable');
      },
    };
    expect(errorOf(getters).name).toBe('Error');
    const cycle: Record<string, unknown> = { message: 'round' };
    cycle.self = cycle;
    expect(errorOf(cycle).message).toBe('round');
  });

  it('caps name and message, and replaces what a store cannot keep', () => {
    const huge = new Error('m'.repeat(10_000_000));
    huge.name = 'N'.repeat(1000);
    expect(errorOf(huge).message).toHaveLength(500);
    expect(errorOf(huge).name).toHaveLength(100);
    expect(errorOf(new Error('a\0b\ud800c')).message).toBe('a\ufffdb\ufffdc');
    // A pair that the cut would split.
    expect(errorOf(new Error(`${'x'.repeat(499)}😀`)).message).toBe(`${'x'.repeat(499)}\ufffd`);
  });
});

it('boundedDelay gives whole milliseconds in 0..10 years', () => {
  expect([0.1, -5, Number.NaN, Number.POSITIVE_INFINITY].map(boundedDelay)).toEqual([
    1, 0, 0, 315_360_000_000,
  ]);
});

function fail(): never {
  throw new Error('looked at');
}
