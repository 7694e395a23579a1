import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../worker/builtin/csv/analyse.ts';
import { writeDemoCsv } from './demo-csv.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-demo-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the demo file is the same everywhere, of the size it is said to be, and sums up as foretold', async () => {
  const path = join(folder, 'demo.csv');
  const file = await writeDemoCsv(path);
  expect(file).toEqual({
    rows: 150_000,
    bytes: 9_018_047,
    sha256: '8216abaddea77fc200d13c404fcf09b0560c424f188050e3202b464b57a45600',
    quantitySum: 976_086,
  });
  const summary = await analyse({ path, bytes: file.bytes, sha256: file.sha256 });
  expect(summary.rows).toBe(150_000);
  expect(summary.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'order_id number',
    'customer text',
    'city text',
    'amount number',
    'quantity number',
    'note text',
  ]);
  expect(summary.columns[4]).toMatchObject({ sum: file.quantitySum, min: 1, max: 12, empty: 0 });
});

test('another seed makes another file, no rows make a header', async () => {
  const path = join(folder, 'small.csv');
  const one = await writeDemoCsv(path, { rows: 10, seed: 1 });
  const two = await writeDemoCsv(path, { rows: 10, seed: 2 });
  expect(two.sha256).not.toBe(one.sha256);
  expect(two.sha256).toBe(
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex'),
  );
  expect(await writeDemoCsv(path, { rows: 0 })).toMatchObject({ rows: 0, quantitySum: 0 });
  expect(await readFile(path, 'utf8')).toBe('order_id,customer,city,amount,quantity,note\r\n');
});
