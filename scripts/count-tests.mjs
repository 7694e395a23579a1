// Adds up vitest's JSON reports and prints `N passed, N failed` (and `, N skipped`) alone on a line, for CI to read.
// A file that could not be loaded, and a report that is not there, each count as one failure.
import { readFileSync } from 'node:fs';

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) add(path);
const skipped = sum.skipped > 0 ? `, ${sum.skipped} skipped` : '';
console.log(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;

function add(path) {
  const report = read(path);
  if (report === null) {
    sum.failed += 1;
    return;
  }
  sum.passed += report.numPassedTests;
  sum.failed += report.numFailedTests + report.testResults.filter(isUnloaded).length;
  sum.skipped += report.numPendingTests + report.numTodoTests;
}

function isUnloaded(file) {
  return file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`no test report at ${path}: ${error.message}`);
    return null;
  }
}
