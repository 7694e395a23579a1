import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { canonicalJson, fingerprint } from './fingerprint.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const plain = (text: string) => text;
const anyJson = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** The same value with the names of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, shuffled(inner)])
      .reverse(),
  );
}

describe('canonicalJson', () => {
  it('is the example of RFC 8785', () => {
    const example = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(example)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it('sorts names by UTF-16 units, digits too', () => {
    const value = JSON.parse(
      '{"\\u20ac":1,"\\r":2,"\\ufb33":3,"1":4,"10":5,"9":6,"\\ud83d\\ude00":7,"\\u0080":8}',
    );
    expect(canonicalJson(value)).toBe(
      '{"\\r":2,"1":4,"10":5,"9":6,"\u0080":8,"\u20ac":1,"\ud83d\ude00":7,"\ufb33":3}',
    );
  });

  it('reads back as the same value', () => {
    holds(
      fc.property(anyJson, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
      500,
    );
  });
});

describe('fingerprint', () => {
  it('is the hex hash of the canonical form', () => {
    expect(fingerprint({ type: 'echo', payload: { b: 1, a: 2 } }, plain)).toBe(
      '{"payload":{"a":2,"b":1},"type":"echo"}',
    );
    expect(fingerprint({ type: 'echo' }, sha256)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('does not depend on the order of names', () => {
    const anyBody = fc.record({ type: fc.string(), payload: anyJson, metadata: anyJson });
    holds(
      fc.property(anyBody, (body) => {
        const other = shuffled(body) as Record<string, unknown>;
        expect(fingerprint(other, sha256)).toBe(fingerprint(body, sha256));
      }),
      500,
    );
  });

  it('leaves out how the task is asked for', () => {
    const asked = { idempotency_key: 'k', max_wait_ms: 5, traceparent: 'x', tracestate: 'y' };
    expect(fingerprint({ ...asked, type: 'echo' }, sha256)).toBe(fingerprint({ type: 'echo' }, sha256));
  });

  it('tells apart every other field, an array order, and a default that was said', () => {
    const body = { type: 'echo', payload: [1, 2] };
    const others = [
      { ...body, type: 'Echo' },
      { ...body, payload: [2, 1] },
      { ...body, payload: [1, 2, null] },
      { ...body, priority: 5 },
      { ...body, metadata: { idempotency_key: 'k' } },
    ];
    const prints = [body, ...others].map((sent) => fingerprint(sent, sha256));
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('tells a task with a file from one without', () => {
    expect(fingerprint({ type: 'echo' }, sha256, true)).not.toBe(fingerprint({ type: 'echo' }, sha256));
  });

  it('takes hostile names as names', () => {
    const sent = JSON.parse('{"type":"echo","payload":{"__proto__":{"x":1},"toJSON":"no","constructor":1}}');
    expect(fingerprint(sent, plain)).toBe(
      '{"payload":{"__proto__":{"x":1},"constructor":1,"toJSON":"no"},"type":"echo"}',
    );
  });
});
