// The same code twice, by jscpd (.jscpd.json says how much is "the same").
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { Finding } from './finding.ts';
import { broken, runTool } from './run-tool.ts';

interface Place {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export async function checkDuplicates(root: string): Promise<readonly Finding[]> {
  const output = mkdtempSync(join(tmpdir(), 'sluice-jscpd-'));
  try {
    const args = ['--reporters', 'json', '--output', output, '--silent', '.'];
    const run = await runTool('jscpd/bin/jscpd', args, root);
    const report = reportIn(output);
    if (report === null) throw broken('jscpd', run);
    const pathOf = (place: Place) => relative(root, resolve(root, place.name));
    return report.map(({ firstFile, secondFile, lines }) => ({
      file: pathOf(firstFile),
      line: firstFile.start,
      rule: 'duplicate-code',
      message: `${lines} lines again in ${pathOf(secondFile)}:${secondFile.start}`,
    }));
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

function reportIn(folder: string): readonly { firstFile: Place; secondFile: Place; lines: number }[] | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'jscpd-report.json'), 'utf8')).duplicates;
  } catch {
    return null;
  }
}
