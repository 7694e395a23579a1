// JSON values that came from a parser: how deep they nest, and whether their text will give back what was sent.

/** Containers inside containers, at most: a scalar nests 0, `[]` 1, `[[]]` 2. */
export const NESTING_MAX = 32;

/**
 * The rule that a value breaks, or null: nesting <= 32, and every number finite (a parser reads 1e309 as Infinity,
 * which JSON text would silently turn into null). Stops at the bound, so its recursion is bounded too.
 */
export function brokenJsonRule(value: unknown): string | null {
  return brokenAt(value, 0);
}

function brokenAt(value: unknown, depth: number): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : 'numbers within the range of a double';
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= NESTING_MAX) return `nesting of at most ${NESTING_MAX}`;
  if (Array.isArray(value)) {
    for (const item of value) {
      const rule = brokenAt(item, depth + 1);
      if (rule !== null) return rule;
    }
    return null;
  }
  for (const name of Object.keys(value)) {
    const rule = brokenAt((value as Record<string, unknown>)[name], depth + 1);
    if (rule !== null) return rule;
  }
  return null;
}
