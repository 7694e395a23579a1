// An import's memory is O(columns): ten times the file needs no more of it. Measured as the peak of a whole process.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeDemoCsv } from '../../src/cli/demo-csv.ts';

const MIB = 1024 * 1024;
const SCRIPT = fileURLToPath(new URL('./import-once.ts', import.meta.url));
const PRELOAD = new URL('../../scripts/register-ts.mjs', import.meta.url).href;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-memory-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function peakMib(rows: number, mib: number): Promise<number> {
  const path = join(folder, `${rows}.csv`);
  const file = await writeDemoCsv(path, { rows });
  expect(file.bytes / MIB).toBeCloseTo(mib, 0);
  const args = ['--import', PRELOAD, SCRIPT, path, String(file.bytes), file.sha256];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { result, peakKib } = JSON.parse(stdout) as {
    result: { rows: number; columns: { name: string; sum?: number }[] };
    peakKib: number;
  };
  expect(result.rows).toBe(rows);
  expect(result.columns.find(({ name }) => name === 'quantity')?.sum).toBe(file.quantitySum);
  await rm(path);
  return peakKib / 1024;
}

it('a file of 86 MiB needs at most 1.2x the memory of one of 8.6 MiB', async () => {
  const small = await peakMib(150_000, 8.6);
  const large = await peakMib(1_476_000, 86);
  console.log(`peak memory: ${small.toFixed(1)} MiB for 8.6 MiB, ${large.toFixed(1)} MiB for 86 MiB`);
  expect(large).toBeLessThanOrEqual(1.2 * small);
});
