// Format and lint, by biome. `npm run format` mends what can be mended by itself.
import { relative, resolve } from 'node:path';
import type { Finding } from './finding.ts';
import { broken, runTool } from './run-tool.ts';

const LINE = /^::(?:error|warning|notice) title=([^,]*),file=([^,]*),line=(\d+)[^:]*::(.*)$/gm;

export async function checkLint(root: string): Promise<readonly Finding[]> {
  const args = ['check', '--reporter=github', '--max-diagnostics=none', '--error-on-warnings', '.'];
  const run = await runTool('@biomejs/biome/bin/biome', args, root);
  const findings = [...run.stdout.matchAll(LINE)].map(([, rule = '', file = '', line, message = '']) => ({
    file: relative(root, resolve(root, file)),
    line: Number(line),
    rule,
    message,
  }));
  if (run.status !== 0 && findings.length === 0) throw broken('biome', run);
  return findings;
}
