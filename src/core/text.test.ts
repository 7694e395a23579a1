import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { isStorable, snakeCase, utf8Bytes } from './text.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 50 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom('a', 'é', '€', '😀', '\ud83d', '\ude00', '\0'), { maxLength: 20 })
    .map((parts) => parts.join('')),
);

describe('utf8Bytes', () => {
  it('counts what an encoder writes', () => {
    holds(
      fc.property(anyText, (text) => {
        expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
      }),
      2000,
    );
  });
});

describe('isStorable', () => {
  it('refuses NUL and lone surrogates, and nothing else', () => {
    holds(
      fc.property(anyText, (text) => {
        const survives = Buffer.from(text).toString() === text;
        expect(isStorable(text)).toBe(survives && !text.includes('\0'));
      }),
      2000,
    );
  });
});

describe('snakeCase', () => {
  it('is the wire name', () => {
    expect(['maxDepth', 'dlqMax', 'rate', 'resultRetentionS'].map(snakeCase)).toEqual([
      'max_depth',
      'dlq_max',
      'rate',
      'result_retention_s',
    ]);
  });
});
