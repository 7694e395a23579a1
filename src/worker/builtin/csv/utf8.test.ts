import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../../../../test/seed.ts';
import { firstInvalid, wholeSequences } from './utf8.ts';

/** The plain way: the longest prefix that a strict decoder takes. */
function slowFirstInvalid(bytes: Uint8Array): number | null {
  const decoder = (stream: boolean, end: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end), { stream });
      return true;
    } catch {
      return false;
    }
  };
  if (decoder(false, bytes.length)) return null;
  let end = bytes.length;
  while (!decoder(false, end)) end--;
  return end;
}

const interesting = fc.constantFrom(
  [0x61],
  [0x7f],
  [0xc3, 0xa9],
  [0xe2, 0x82, 0xac],
  [0xf0, 0x9f, 0x98, 0x80],
  [0xf4, 0x8f, 0xbf, 0xbf],
  [0x80],
  [0xbf],
  [0xc0],
  [0xc1],
  [0xc3],
  [0xe0],
  [0xe0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0],
  [0xf0, 0x80],
  [0xf4, 0x90],
  [0xf5],
  [0xff],
  [0xe2, 0x82],
);
const texts = fc.array(interesting, { maxLength: 12 }).map((parts) => Uint8Array.from(parts.flat()));

test('the first invalid byte is where a strict decoder stops', () => {
  holds(
    fc.property(texts, (bytes) => {
      expect(firstInvalid(bytes)).toBe(slowFirstInvalid(bytes));
    }),
    2000,
  );
});

test('text can be cut anywhere, and neither part loses a sequence', () => {
  holds(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, where) => {
      const bytes = Buffer.from(text);
      const head = bytes.subarray(0, where % (bytes.length + 1));
      const cut = wholeSequences(head);
      expect(head.length - cut).toBeLessThan(4);
      expect(bytes.toString('utf8', 0, cut) + bytes.toString('utf8', cut)).toBe(bytes.toString());
    }),
  );
});
