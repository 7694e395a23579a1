// A small tree in a temporary folder with this repository's configuration files, for planting what a check must find.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKS } from '../../scripts/check/checks.ts';
import { show } from '../../scripts/check/finding.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const CONFIGURATION = ['biome.json', 'knip.json', '.jscpd.json', 'tsconfig.json', '.gitignore'];
const MANIFEST = {
  name: 'planted',
  type: 'module',
  exports: { '.': { default: './dist/index.js' }, './server': { default: './dist/server/index.js' } },
};

/** What one check says of a tree that holds these files: one line per finding, as `npm run check` prints them. */
export async function findings(name: string, files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'sluice-planted-'));
  try {
    for (const file of CONFIGURATION) copyFileSync(join(ROOT, file), join(root, file));
    writeFileSync(join(root, 'package.json'), `${JSON.stringify(MANIFEST, null, 2)}\n`);
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return await findingsAt(root, name);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export async function findingsAt(root: string, name: string): Promise<readonly string[]> {
  const check = CHECKS.get(name);
  if (check === undefined) throw new Error(`no check is called ${name}`);
  return (await check(root)).map(show);
}

export function lines(count: number, line: string): string {
  return `${line}\n`.repeat(count);
}
