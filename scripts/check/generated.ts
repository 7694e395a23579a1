// What is made from tables in the source must be what the tables say now.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Finding } from './finding.ts';
import { runNode } from './run-tool.ts';

/** Each takes --check, writes nothing then, and exits with 1 where something is stale. */
const GENERATORS = ['scripts/generate-docs.ts'];

export async function checkGenerated(root: string): Promise<readonly Finding[]> {
  const preload = pathToFileURL(join(root, 'scripts/register-ts.mjs')).href;
  const present = GENERATORS.filter((path) => existsSync(join(root, path)));
  const runs = present.map(async (file) => {
    const run = await runNode(['--import', preload, file, '--check'], root);
    return run.status === 0 ? [] : [{ file, line: 1, rule: 'stale-output', message: run.stderr.trim() }];
  });
  return (await Promise.all(runs)).flat();
}
