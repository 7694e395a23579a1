// The closing line of CI says what the reports say, and nothing that went wrong is counted as nothing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../scripts/count-tests.mjs', import.meta.url));

const passing = { status: 'passed', assertionResults: [{ status: 'passed' }] };
const report = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [passing],
};

function count(...reports: readonly (object | null)[]) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-count-'));
  try {
    const paths = reports.map((content, index) => {
      const path = join(folder, `${index}.json`);
      if (content !== null) writeFileSync(path, JSON.stringify(content));
      return path;
    });
    const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...paths], { encoding: 'utf8' });
    return { line: stdout, status };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('adds reports up', () => {
  expect(count(report, { ...report, numPassedTests: 4 })).toEqual({
    line: '7 passed, 0 failed\n',
    status: 0,
  });
});

it('names the skipped only where there are some', () => {
  const skipping = { ...report, numPendingTests: 1, numTodoTests: 1 };
  expect(count(skipping)).toEqual({ line: '3 passed, 0 failed, 2 skipped\n', status: 0 });
});

it('fails for a failed test, a file that did not load, a missing report and no tests at all', () => {
  const failing = { ...report, numFailedTests: 2 };
  const unloaded = { ...report, testResults: [passing, { status: 'failed', assertionResults: [] }] };
  expect(count(failing)).toEqual({ line: '3 passed, 2 failed\n', status: 1 });
  expect(count(unloaded)).toEqual({ line: '3 passed, 1 failed\n', status: 1 });
  expect(count(report, null)).toEqual({ line: '3 passed, 1 failed\n', status: 1 });
  expect(count({ ...report, numPassedTests: 0 })).toEqual({ line: '0 passed, 0 failed\n', status: 1 });
});
