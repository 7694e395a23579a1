import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyse } from './analyse.ts';
import type { ColumnSummary } from './column.ts';
import { CsvFault } from './fault.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-csv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function fileOf(content: Content): Promise<string> {
  const path = join(folder, `${files++}.csv`);
  await writeFile(path, content);
  return path;
}

type Content = string | Buffer;
const BLOCKS = [4, 5, 7, 64, 262_144];
const MIB = 1024 * 1024;

/** The outcome must not depend on where blocks happen to cut the file. */
async function summaries(content: Content, blocks: readonly number[]) {
  const path = await fileOf(content);
  return Promise.all(
    blocks.map((blockBytes) => analyse({ path, bytes: null, sha256: null }, { blockBytes })),
  );
}

async function faults(content: Content, blocks: readonly number[]): Promise<CsvFault[]> {
  const path = await fileOf(content);
  return Promise.all(
    blocks.map((blockBytes) =>
      analyse({ path, bytes: null, sha256: null }, { blockBytes }).then(
        (summary) => {
          throw new Error(`no fault, but ${JSON.stringify(summary)}`);
        },
        (error: unknown) => {
          if (error instanceof CsvFault) return error;
          throw error;
        },
      ),
    ),
  );
}

function num(name: string, values: readonly number[], empty = 0): ColumnSummary {
  const sum = values.reduce((a, b) => a + b, 0);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return { name, type: 'number', non_empty: values.length, empty, min, max, sum, mean: sum / values.length };
}

function text(name: string, lengths: readonly number[], empty = 0): ColumnSummary {
  const [min_length, max_length] =
    lengths.length === 0 ? [null, null] : [Math.min(...lengths), Math.max(...lengths)];
  return { name, type: 'text', non_empty: lengths.length, empty, min_length, max_length };
}

const GOOD: readonly (readonly [string, Content, number, readonly ColumnSummary[]])[] = [
  ['LF', 'a,b\n1,x\n2,yy\n', 2, [num('a', [1, 2]), text('b', [1, 2])]],
  ['CRLF', 'a,b\r\n1,x\r\n2,yy\r\n', 2, [num('a', [1, 2]), text('b', [1, 2])]],
  ['mixed LF and CRLF', 'a,b\r\n1,x\n2,yy\r\n', 2, [num('a', [1, 2]), text('b', [1, 2])]],
  ['no end of line at the end', 'a,b\n1,x\n2,yy', 2, [num('a', [1, 2]), text('b', [1, 2])]],
  ['byte order mark', '\ufeffa,b\n1,x\n', 1, [num('a', [1]), text('b', [1])]],
  ['byte order mark before a quote', '\ufeff"a",b\n1,x\n', 1, [num('a', [1]), text('b', [1])]],
  ['header only', 'a,b\n', 0, [text('a', []), text('b', [])]],
  ['header only, no end of line', 'a,b', 0, [text('a', []), text('b', [])]],
  ['blank lines at the end', 'a,b\n1,2\n\n\r\n\n', 1, [num('a', [1]), num('b', [2])]],
  ['blank lines after the header only', 'a\n\n\r\n', 0, [text('a', [])]],
  ['one column, blank lines at the end', 'a\n1\n\n\n', 1, [num('a', [1])]],
  ['one column, a quoted empty value in the middle', 'a\n""\n2\n', 2, [num('a', [2], 1)]],
  ['one column, a quoted empty value last', 'a\n1\n""\n', 2, [num('a', [1], 1)]],
  ['one column, a quoted empty value that ends the file', 'a\n1\n""', 2, [num('a', [1], 1)]],
  ['quoted comma', 'a,b\n"1,5",x\n', 1, [text('a', [3]), text('b', [1])]],
  ['doubled quotes', 'a\n"say ""hi"""\n', 1, [text('a', [8])]],
  ['a value of one quote', 'a\n""""\n', 1, [text('a', [1])]],
  ['quoted LF and CRLF', 'a,b\n"x\ny","p\r\nq"\n', 1, [text('a', [3]), text('b', [4])]],
  ['quoted numbers are numbers', 'a\n"1"\n2\n', 2, [num('a', [1, 2])]],
  [
    'quoted header with a comma and a line feed',
    '"a,b","c\nd"\n1,2\n',
    1,
    [num('a,b', [1]), num('c\nd', [2])],
  ],
  [
    'every form of a number',
    'a\n1\n-1\n+1\n1.5\n.5\n5.\n1e3\n1E-3\n+.5e+2\n007\n-0\n',
    11,
    [num('a', [1, -1, 1, 1.5, 0.5, 5, 1000, 0.001, 50, 7, 0])],
  ],
  [
    'sums are doubles in file order',
    'a\n0.1\n0.2\n0.3\n1e16\n1\n1\n',
    6,
    [num('a', [0.1, 0.2, 0.3, 1e16, 1, 1])],
  ],
  [
    'a sum out of range',
    'a\n1e308\n1e308\n',
    2,
    [{ name: 'a', type: 'number', non_empty: 2, empty: 0, min: 1e308, max: 1e308, sum: null, mean: null }],
  ],
  ['not finite is text', 'a\n1e999\n', 1, [text('a', [5])]],
  ['spaces are text', 'a,b\n 1,1 \n', 1, [text('a', [2]), text('b', [2])]],
  ['hex is text', 'a\n0x10\n', 1, [text('a', [4])]],
  ['words of numbers are text', 'a,b\nNaN,Infinity\n', 1, [text('a', [3]), text('b', [8])]],
  ['separators are text', 'a,b\n1_000,"1,000"\n', 1, [text('a', [5]), text('b', [5])]],
  [
    'half a number is text',
    'a,b,c,d\n.,1e,+,e5\n',
    1,
    ['a', 'b', 'c', 'd'].map((n, i) => text(n, [[1, 2, 1, 2][i] as number])),
  ],
  ['digits of another script are text', 'a\n١٢\n', 1, [text('a', [2])]],
  ['text after numbers makes it text', 'a\n1234\n12\nx\n', 3, [text('a', [4, 2, 1])]],
  ['empty values', 'a,b\n,\n1,\n,\n', 3, [num('a', [1], 2), text('b', [], 3)]],
  ['lengths in code points', 'a\néa\n😀😀😀\n', 2, [text('a', [2, 3])]],
  [
    'names that differ by more than case',
    'a,b,A1\n1,2,3\n',
    1,
    [num('a', [1]), num('b', [2]), num('A1', [3])],
  ],
  [
    'a name like a property of objects',
    '__proto__,constructor\n1,2\n',
    1,
    [num('__proto__', [1]), num('constructor', [2])],
  ],
  ['a lone CR is data', 'a\nx\ry\n', 1, [text('a', [3])]],
  [
    '100 columns, a name of 100 characters of 4 bytes',
    `${['😀'.repeat(100), ...Array.from({ length: 99 }, (_, i) => `c${i}`)].join()}\n${'1,'.repeat(99)}1\n`,
    1,
    [num('😀'.repeat(100), [1]), ...Array.from({ length: 99 }, (_, i) => num(`c${i}`, [1]))],
  ],
  [
    '100 quoted names of 100 quotes and numbers',
    `${Array.from({ length: 100 }, (_, i) => `"${'""'.repeat(97)}${100 + i}"`).join()}\n`,
    0,
    Array.from({ length: 100 }, (_, i) => text(`${'"'.repeat(97)}${100 + i}`, [])),
  ],
];

const BAD: readonly (readonly [string, Content, number, string])[] = [
  ['empty file', '', 1, 'header is required'],
  ['byte order mark only', '\ufeff', 1, 'header is required'],
  ['blank first line', '\na,b\n1,2\n', 1, 'header is required'],
  ['blank lines only', '\n\n', 1, 'header is required'],
  ['empty name', 'a,,c\n1,2,3\n', 1, 'name 2 is empty'],
  ['empty quoted name alone', '""\n1\n', 1, 'name 1 is empty'],
  ['trailing comma in the header', 'a,b,\n', 1, 'name 3 is empty'],
  ['repeated name', 'a,b,a\n', 1, 'name 3 repeats name 1'],
  ['repeated name but for case', 'Städte,b,STÄDTE\n', 1, 'name 3 repeats name 1'],
  ['name of 101 characters', `a,${'é'.repeat(101)}\n`, 1, 'name 2 is over 100 characters'],
  ['101 names', `${Array.from({ length: 101 }, (_, i) => `c${i}`).join()}\n`, 1, '101 names'],
  ['lines that end in CR alone', 'a,b\r1,2\r3,4\r', 1, 'lone carriage return'],
  ['short row', 'a,b\n1,2\n3\n4,5\n', 3, '1 field, the header has 2'],
  ['long row', 'a,b\n1,2,SECRET\n', 2, '3 fields, the header has 2'],
  ['first of two wrong rows', 'a,b\n1\n1,2,3\n', 2, '1 field'],
  ['blank line in the middle', 'a,b\n1,2\n\n3,4\n', 3, 'blank line'],
  ['first of blank lines in the middle', 'a,b\n\n\r\n3,4\n', 2, 'blank line'],
  ['blank line in the middle, one column', 'a\n1\n\n3\n', 3, 'blank line'],
  ['blank line before an open quote', 'a,b\n1,2\n\n"3,4\n', 3, 'blank line'],
  ['a quoted empty value is no blank line', 'a,b\n1,2\n""\n', 3, '1 field'],
  ['a quoted empty value at the end is no blank line', 'a,b\n1,2\n""', 3, '1 field'],
  ['a space is no blank line', 'a,b\n1,2\n \n', 3, '1 field'],
  ['wrong row after quoted LFs', 'a,b\n"1\n\n1",2\n3\n', 5, '1 field'],
  ['wrong row after quoted CRLFs', 'a,b\r\n"1\r\n\r\n1",2\r\n3\r\n', 5, '1 field'],
  ['wrong row that itself spans lines', 'a,b\n1,2\n"x\ny\nz"\n4,5\n', 3, '1 field'],
  ['wrong row after a header of three lines', '"a\nx\n",b\n1\n', 4, '1 field'],
  ['open quote', 'a,b\n1,2\n3,"SECRET\n5,6\n7,8\n', 3, 'never closed'],
  ['open quote in the last bytes', 'a,b\n1,2\n3,"', 3, 'never closed'],
  ['open quote in the header', 'a,"SECRET\n1,2\n', 1, 'never closed'],
  ['text after a closing quote', 'a,b\n1,2\n"SECRET"x,4\n', 3, 'closing quote'],
  ['text after a closing quote two lines down', 'a,b\n1,"2\n\n"x\n', 2, 'closing quote'],
  ['quote inside a bare field', 'a,b\n1,2\nSECRET"x",4\n', 3, 'does not begin with one'],
  ['byte that is never UTF-8', Buffer.from('a,b\n1,2\n3,\xff\n', 'latin1'), 3, 'not UTF-8'],
  ['invalid byte right after a line', Buffer.from('a,b\n1,2\n\xff,3\n', 'latin1'), 3, 'not UTF-8'],
  ['invalid byte in the header', Buffer.from('a,\xe9\n1,2\n', 'latin1'), 1, 'not UTF-8'],
  ['overlong sequence', Buffer.from([97, 10, 0xc0, 0xaf, 10]), 2, 'not UTF-8'],
  ['surrogate', Buffer.from([97, 10, 49, 10, 0xed, 0xa0, 0x80, 10]), 3, 'not UTF-8'],
  ['sequence cut by the end of the file', Buffer.from([97, 10, 49, 10, 0xe2, 0x82]), 3, 'not UTF-8'],
  ['sequence cut by a line feed', Buffer.from([97, 10, 0xe2, 0x82, 10, 49, 10]), 2, 'not UTF-8'],
  ['UTF-16', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 1, 'not UTF-8'],
  ['second line of a quoted value is not UTF-8', Buffer.from('a\n1\n"x\n\xff"\n', 'latin1'), 3, 'not UTF-8'],
  ['wrong row before invalid bytes', Buffer.from('a,b\n1\n3,\xff\n', 'latin1'), 2, '1 field'],
];

describe('good files', () => {
  test.each(GOOD)('%s', async (_, content, rows, columns) => {
    for (const summary of await summaries(content, BLOCKS)) expect(summary).toEqual({ rows, columns });
  });
});

describe('bad files', () => {
  test.each(BAD)('%s', async (_, content, line, rule) => {
    for (const fault of await faults(content, BLOCKS)) {
      expect(fault.message).toContain(rule);
      expect(fault.message).toMatch(/^line \d+: /);
      expect(fault.message).not.toContain('SECRET');
      expect(fault.line).toBe(line);
    }
  });
});

describe('sizes', () => {
  test.each([
    ['one-byte characters', 'x'.repeat(MIB)],
    ['three-byte characters', `${'€'.repeat((MIB - 1) / 3)}x`],
    ['quotes', '""'.repeat(MIB)],
  ])('a field of exactly 1 MiB passes, one byte more does not: %s', async (_, value) => {
    const length = value.startsWith('"') ? MIB : [...value].length;
    for (const summary of await summaries(`a,b\n1,"${value}"\n`, [MIB, 65_536])) {
      expect(summary).toEqual({ rows: 1, columns: [num('a', [1]), text('b', [length])] });
    }
    for (const fault of await faults(`a,b\n1,2\n1,"${value}x"\n`, [MIB, 65_536])) {
      expect(fault).toMatchObject({ line: 3, message: 'line 3: field 2 is over 1 MiB' });
    }
  });

  test.each([
    ['an open quote', `a,b\n1,2\n3,"${'x,y\n'.repeat(MIB)}`, 3, 'a field is over 1 MiB'],
    ['a row of far too many fields', `a,b\n1,2\n${'3,'.repeat(3 * MIB)}`, 3, 'longer than its fields may be'],
    ['a header without an end', 'a,'.repeat(MIB), 1, 'header is longer'],
  ])('%s is given up on long before the end', async (_, content, line, rule) => {
    const path = await fileOf(content);
    let read = 0;
    const onBytes = (bytes: number): void => {
      read = bytes;
    };
    const outcome = analyse({ path, bytes: null, sha256: null }, { blockBytes: 65_536, onBytes });
    await expect(outcome).rejects.toMatchObject({ line, message: expect.stringContaining(rule) });
    expect(read).toBeLessThan(Buffer.byteLength(content) * 0.9);
  });

  test('a number of a million digits is looked at once', async () => {
    const [summary] = await summaries(`a\n${'1'.repeat(MIB - 1)}x\n`, [MIB]);
    expect(summary).toEqual({ rows: 1, columns: [text('a', [MIB])] });
  });
});

describe('the file that was accepted', () => {
  const content = '\ufeffa\n1\n';
  const bytes = Buffer.byteLength(content);
  const sha256 = createHash('sha256').update(content).digest('hex');

  test('is known by its length and hash', async () => {
    const path = await fileOf(content);
    await expect(analyse({ path, bytes, sha256 })).resolves.toMatchObject({ rows: 1 });
  });

  test.each([
    ['hash', { bytes, sha256: sha256.replace(/^./, (c) => (c === '0' ? '1' : '0')) }],
    ['length', { bytes: bytes + 1, sha256: null }],
  ])('another %s fails without a line', async (_, expected) => {
    const path = await fileOf(content);
    await expect(analyse({ path, ...expected })).rejects.toMatchObject({
      name: 'CsvFault',
      line: null,
      message: 'the file is not the one that was accepted',
    });
  });
});
