// Strict UTF-8 over blocks of bytes: where a block may be cut, and where it stops being UTF-8.
// `node:buffer`'s isUtf8 does the checking (vectorized, about 1 % of an import); it only needs whole sequences.
import { isUtf8 } from 'node:buffer';

/** The largest length <= bytes.length at which `bytes` can be cut without splitting a sequence in two. */
export function wholeSequences(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] as number;
    if (byte < 0x80) return end;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? end - back : end;
  }
  return end;
}

/** The offset of the first byte that cannot be part of UTF-8 text; null where all of `bytes` is UTF-8. */
export function firstInvalid(bytes: Uint8Array): number | null {
  if (isUtf8(bytes)) return null;
  // "The first n bytes, cut at a whole sequence, are UTF-8" holds up to the bad sequence and never after it.
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const head = bytes.subarray(0, middle);
    if (isUtf8(head.subarray(0, wholeSequences(head)))) good = middle;
    else bad = middle;
  }
  return wholeSequences(bytes.subarray(0, good));
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
