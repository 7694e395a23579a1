import { describe, expect, it } from 'vitest';
import { traceContext } from './trace-context.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const NONE = { traceparent: null, tracestate: null };

describe('traceContext', () => {
  it('takes a valid parent, and a valid state with it', () => {
    expect(traceContext(PARENT, undefined)).toEqual({ traceparent: PARENT, tracestate: null });
    const state = 'rojo=00f067aa0ba902b7, congo=t61rcWkgMzE,fw529a3039@dt=FfAAAA==';
    expect(traceContext(PARENT, 'a=b')).toEqual({ traceparent: PARENT, tracestate: 'a=b' });
    expect(traceContext(PARENT, state.replace('==', '')).tracestate).not.toBeNull();
  });

  it('takes a later version with more behind it', () => {
    const later = `cc${PARENT.slice(2)}-what-the-future-brings`;
    expect(traceContext(later, undefined).traceparent).toBe(later);
  });

  it.each([
    undefined,
    null,
    7,
    '',
    PARENT.toUpperCase(),
    `${PARENT}-more`,
    `ff${PARENT.slice(2)}`,
    PARENT.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    PARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
    PARENT.slice(1),
    `cc${PARENT.slice(2)}-${'x'.repeat(1000)}`,
  ])('drops the parent %j, and the state with it', (parent) => {
    expect(traceContext(parent, 'a=b')).toEqual(NONE);
  });

  it.each([
    '',
    ',',
    'a',
    'A=b',
    'a=b=c',
    'a=b,a=c',
    `a=${'x'.repeat(600)}`,
    Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(','),
    5,
    'a=\u00e9',
  ])('drops the state %j and keeps the parent', (state) => {
    expect(traceContext(PARENT, state)).toEqual({ traceparent: PARENT, tracestate: null });
  });
});
