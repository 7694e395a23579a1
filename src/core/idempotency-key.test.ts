import { describe, expect, it } from 'vitest';
import { parseIdempotencyHeader } from './idempotency-key.ts';

describe('parseIdempotencyHeader', () => {
  it.each([
    [undefined, null],
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['  "a b"  ', 'a b'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['a"b', 'a"b'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%j is the key %j', (header, key) => {
    expect(parseIdempotencyHeader(header)).toEqual({ ok: true, key });
  });

  it.each(['', '   ', '""', '"abc', '"a\\b"', '"abc";p=1', 'a\u0000b', 'caf\u00e9', 'a\tb', 'x'.repeat(256)])(
    '%j is refused',
    (header) => {
      expect(parseIdempotencyHeader(header)).toMatchObject({ ok: false });
    },
  );

  it('refuses a header that came twice', () => {
    expect(parseIdempotencyHeader(['a', 'b'])).toEqual({ ok: false, rule: 'at most once' });
  });
});
