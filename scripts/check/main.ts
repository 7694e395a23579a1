// `npm run check`: every check over the tree, or those that are named. One line per check, one per finding; exit status 1
// where anything was found.
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { CHECKS } from './checks.ts';
import { type Finding, show } from './finding.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !CHECKS.has(name));
if (unknown.length > 0) {
  console.error(
    `check: no check is called ${unknown.join(', ')}; there are ${[...CHECKS.keys()].join(', ')}`,
  );
  process.exit(2);
}

const start = performance.now();
let found = 0;
for (const [name, check] of CHECKS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const began = performance.now();
  const findings: readonly Finding[] = await check(ROOT);
  found += findings.length;
  const verdict = findings.length === 0 ? 'ok' : `${findings.length} found`;
  console.log(`${name.padEnd(11)} ${verdict.padEnd(9)} ${seconds(began)}`);
  for (const finding of findings) console.log(`  ${show(finding)}`);
}
console.log(found === 0 ? `check: clean, ${seconds(start)}` : `check: ${found} findings, ${seconds(start)}`);
process.exitCode = found === 0 ? 0 : 1;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
