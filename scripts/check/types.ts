// The compiler over everything that is TypeScript: source, tests, scripts, benches, examples.
import type { Finding } from './finding.ts';
import { broken, runTool } from './run-tool.ts';

const LINE = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/gm;

export async function checkTypes(root: string): Promise<readonly Finding[]> {
  const run = await runTool('typescript/bin/tsc', ['--noEmit', '--pretty', 'false'], root);
  const findings = [...run.stdout.matchAll(LINE)].map(([, file = '', line, rule = '', message = '']) => ({
    file,
    line: Number(line),
    rule,
    message,
  }));
  if (run.status !== 0 && findings.length === 0) throw broken('tsc', run);
  return findings;
}
