// Measures of text that rules need: its size in UTF-8, and whether every store and protocol can carry it.

const BEYOND_ASCII = /\P{ASCII}/u;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Bytes of the UTF-8 encoding; a lone surrogate counts 3, as its replacement does. */
export function utf8Bytes(text: string): number {
  // Most text is ASCII, and the pattern answers that several times faster than the loop.
  if (!BEYOND_ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    const pair = isHigh(code) && isLow(text.charCodeAt(i + 1));
    // A pair is two units and four bytes, so each half adds one.
    if (code < 0x800 || pair || (isLow(code) && isHigh(text.charCodeAt(i - 1)))) bytes += 1;
    else bytes += 2;
  }
  return bytes;
}

/** True where the text has neither NUL (PostgreSQL refuses it) nor a lone surrogate (UTF-8 cannot carry it). */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !LONE_SURROGATE.test(text);
}

/** `maxDepth` to `max_depth`: from TypeScript's names to the wire's. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
