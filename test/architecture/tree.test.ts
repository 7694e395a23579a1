// The tree as it stands keeps every rule that `npm run check` knows.
import { expect, it } from 'vitest';
import { CHECKS } from '../../scripts/check/checks.ts';
import { findingsAt, ROOT } from './planted-tree.ts';

for (const name of CHECKS.keys()) {
  it(`${name}: nothing is found`, async () => {
    expect(await findingsAt(ROOT, name)).toEqual([]);
  });
}
