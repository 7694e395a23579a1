// "Did you mean": the nearest known name, where it is near enough to be a likely slip.
import { distance } from 'fastest-levenshtein';

/** Longer inputs are never a slip of a known name, and would make the distance costly. */
const LONGEST = 64;

/**
 * The known name nearest to `given`, or null where none is within a third of its length (at least 1, at most 3 edits).
 * Case and the choice between `-`, `_`, `.` and camelCase do not count as edits. Ties go to the first in the list.
 */
export function suggest(given: string, known: readonly string[]): string | null {
  if (given.length === 0 || given.length > LONGEST) return null;
  const wanted = plain(given);
  let best: string | null = null;
  let bestEdits = Math.min(3, Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const name of known) {
    const edits = distance(wanted, plain(name));
    if (edits < bestEdits) {
      best = name;
      bestEdits = edits;
    }
  }
  return best;
}

/** The tail of a one-line refusal: ` (did you mean X?)` or nothing. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === null ? '' : ` (did you mean ${name}?)`;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, '');
}
