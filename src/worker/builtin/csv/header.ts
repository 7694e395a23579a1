// The rules of the first record. Names are never repeated in a message: columns are told by number.
import { codePoints } from './column.ts';

const COLUMNS_MAX = 100;
/** In code points. */
const NAME_LENGTH_MAX = 100;

/** No header that keeps the rules takes more bytes: names of 4-byte characters, quoted, with their commas. */
export const HEADER_BYTES_MAX = COLUMNS_MAX * (NAME_LENGTH_MAX * 4 + 3) + 2;

/** The rule that the names break, null where they are good. */
export function headerFault(names: readonly string[]): string | null {
  if (names.length > COLUMNS_MAX)
    return `the header has ${names.length} names, at most ${COLUMNS_MAX} are taken`;
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const fault = nameFault(name);
    if (fault !== null) return `header name ${index + 1} ${fault}`;
    const folded = name.toLowerCase();
    const first = seen.get(folded);
    if (first !== undefined) return `header name ${index + 1} repeats name ${first} (case apart)`;
    seen.set(folded, index + 1);
  }
  return null;
}

function nameFault(name: string): string | null {
  if (name.length === 0) return 'is empty';
  if (codePoints(name) > NAME_LENGTH_MAX) return `is over ${NAME_LENGTH_MAX} characters`;
  // A file whose lines end in CR alone is read as one long header: better refused than summed up as 0 rows.
  if (/\r(?!\n)/.test(name)) return 'holds a lone carriage return; lines end in LF or CRLF';
  return null;
}
