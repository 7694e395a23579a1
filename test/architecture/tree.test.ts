// The tree as it stands keeps every rule that `npm run check` knows.
import { expect, it } from 'vitest';
import { CHECKS } from '../../scripts/check/checks.ts';
import { findingsAt, ROOT } from './planted-tree.ts';

/** Only against a check that hangs: the compiler takes seconds alone, and far more beside the rest of the suite. */
const CHECK_MS_MAX = 600_000;

for (const name of CHECKS.keys()) {
  it(`${name}: nothing is found`, { timeout: CHECK_MS_MAX }, async () => {
    expect(await findingsAt(ROOT, name)).toEqual([]);
  });
}
