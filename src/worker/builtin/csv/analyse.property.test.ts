// Random tables, written in every way that RFC 4180 allows and cut into blocks anywhere, against plain arithmetic.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEED } from '../../../../test/seed.ts';
import { analyse } from './analyse.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const piece = fc.constantFrom('a', 'é', '😀', '"', ',', '\n', '\r\n', '\r', ' ', '1', '-2.5', 'e3', 'x');
const value = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''));
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
const cell = fc.oneof(fc.constant(''), number, value);

interface Case {
  readonly rows: readonly (readonly string[])[];
  readonly quoteAll: readonly boolean[];
  readonly ends: readonly ('\n' | '\r\n')[];
  readonly lastEnd: boolean;
  readonly blockBytes: number;
}

const cases: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc.record({
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }),
    quoteAll: fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
    ends: fc.array(fc.constantFrom('\n' as const, '\r\n' as const), { minLength: 13, maxLength: 13 }),
    lastEnd: fc.boolean(),
    blockBytes: fc.integer({ min: 4, max: 40 }),
  }),
);

function written(fields: readonly string[], quoteAll: boolean): string {
  const alone = fields.length === 1;
  return fields
    .map((field) => {
      const needed = /[",\r\n]/.test(field) || (alone && field === '');
      return quoteAll || needed ? `"${field.replaceAll('"', '""')}"` : field;
    })
    .join();
}

/** The file and the physical line where each record starts. */
function fileOf({ rows, quoteAll, ends, lastEnd }: Case) {
  const header = (rows[0] as readonly string[]).map((_, i) => `name ${i}`);
  const starts: number[] = [];
  let content = '';
  for (const [i, fields] of [header, ...rows].entries()) {
    starts.push(content.split('\n').length);
    content += written(fields, quoteAll[i] === true) + (i < rows.length || lastEnd ? ends[i] : '');
  }
  return { content, starts };
}

const isNumber = (text: string): boolean =>
  /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) && Number.isFinite(Number(text));

function expected(rows: Case['rows'], column: number) {
  const values = rows.map((row) => row[column] as string);
  const full = values.filter((text) => text !== '');
  const counts = { name: `name ${column}`, non_empty: full.length, empty: values.length - full.length };
  if (full.length > 0 && full.every(isNumber)) {
    const numbers = full.map(Number);
    const total = numbers.reduce((a, b) => a + b, 0);
    const sum = Number.isFinite(total) ? total : null;
    const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
    return { ...counts, type: 'number', min, max, sum, mean: sum === null ? null : sum / full.length };
  }
  const lengths = full.map((text) => [...text].length);
  const [min_length, max_length] =
    full.length === 0 ? [null, null] : [Math.min(...lengths), Math.max(...lengths)];
  return { ...counts, type: 'text', min_length, max_length };
}

async function analysed(content: string | Buffer, blockBytes: number) {
  const path = join(folder, 'case.csv');
  await writeFile(path, content);
  return analyse({ path, bytes: null, sha256: null }, { blockBytes });
}

test('any table is summed up exactly', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const summary = await analysed(fileOf(one).content, one.blockBytes);
      const columns = (one.rows[0] as readonly string[]).map((_, column) => expected(one.rows, column));
      // -0 and 0 are one number in JSON, and which of the two a minimum keeps is nobody's concern.
      expect(JSON.parse(JSON.stringify(summary))).toEqual(
        JSON.parse(JSON.stringify({ rows: one.rows.length, columns })),
      );
    }),
    { seed: SEED, numRuns: 300 },
  );
});

test('a wrong row, an open quote or a bad byte anywhere is told by the line where its record starts', async () => {
  const bad = fc.constantFrom(Buffer.from('1,2,3,4,5,6\n'), Buffer.from('"open\n'), Buffer.from([0xff]));
  await fc.assert(
    fc.asyncProperty(cases, bad, fc.nat(), async (one, fault, where) => {
      const { content, starts } = fileOf({ ...one, lastEnd: true });
      const record = 1 + (where % (starts.length - 1));
      const lines = content.split('\n');
      const line = starts[record] as number;
      const before = Buffer.from(`${lines.slice(0, line - 1).join('\n')}\n`);
      const after = Buffer.from(
        lines
          .slice(line - 1)
          .join('\n')
          .replaceAll('"', ''),
      );
      await expect(analysed(Buffer.concat([before, fault, after]), one.blockBytes)).rejects.toMatchObject({
        name: 'CsvFault',
        line,
      });
    }),
    { seed: SEED, numRuns: 300 },
  );
});
