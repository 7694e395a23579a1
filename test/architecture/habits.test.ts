// Planted files that are too long, dead, doubled, silenced, untyped or badly formed: each is found.
import { describe, expect, it } from 'vitest';
import { findings, lines } from './planted-tree.ts';

describe('sizes', () => {
  it('finds a file of 401 lines and a query of 121, and lets 400 and 120 pass', async () => {
    const found = await findings('sizes', {
      'src/core/a.ts': lines(400, '// a'),
      'src/core/b.ts': lines(401, '// b'),
      'src/engines/sqlite/sql/a.sql': lines(120, '-- a'),
      'src/engines/sqlite/sql/b.sql': lines(121, '-- b'),
      'src/conformance/a.ts': lines(351, '// a'),
      'test/http/a.test.ts': lines(401, '// a'),
    });
    expect(found).toEqual([
      'src/conformance/a.ts:351 file-too-long: 351 lines, at most 350',
      'src/core/b.ts:401 file-too-long: 401 lines, at most 400',
      'test/http/a.test.ts:401 file-too-long: 401 lines, at most 400',
      'src/engines/sqlite/sql/b.sql:121 file-too-long: 121 lines, at most 120',
    ]);
  });
});

describe('dead', () => {
  it('finds a dead export and a dead file', async () => {
    const found = await findings('dead', {
      'src/index.ts': "export { used } from './core/a.ts';\n",
      'src/core/a.ts': 'export const used = 1;\nexport const dead = 2;\n',
      'src/core/b.ts': 'export const alone = 1;\n',
    });
    expect(found).toEqual([
      'src/core/b.ts:1 dead-file: no entry reaches this file',
      "src/core/a.ts:2 dead-export: 'dead' is exported and never imported",
    ]);
  });
});

describe('duplicates', () => {
  it('finds the same code in two files', async () => {
    const body = Array.from({ length: 12 }, (_, index) => `  total += input.part${index} * ${index};`);
    const code = `export function sum(input: Record<string, number>): number {\n  let total = 0;\n${body.join('\n')}\n  return total;\n}\n`;
    const found = await findings('duplicates', { 'src/core/a.ts': code, 'src/core/b.ts': code });
    expect(found).toEqual([
      expect.stringMatching(/^src\/core\/\w.ts:\d+ duplicate-code: \d+ lines again in src\/core\//),
    ]);
  });
});

describe('comments', () => {
  it('finds silenced checks and open promises, in comments only', async () => {
    const found = await findings('comments', {
      'src/core/a.ts':
        "// biome-ignore lint/suspicious/noExplicitAny: why not\nexport const a = 'TODO';\n/* TODO: later */\n",
      'src/core/b.ts': '// @ts-ignore\nexport const b = 1; // FIXME\n',
      'src/core/c.ts': `export const c = \`// TODO \${1} // TODO\`;\n`,
    });
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      'src/core/a.ts:1 silenced-check',
      'src/core/a.ts:3 open-promise',
      'src/core/b.ts:1 silenced-check',
      'src/core/b.ts:2 open-promise',
    ]);
  });
});

describe('lint', () => {
  it('finds long functions, many parameters, any, non-null claims, floating promises and bad format', async () => {
    const found = await findings('lint', {
      'src/core/a.ts': `export function long(): number {\n  let a = 0;\n${lines(60, '  a += 1;')}  return a;\n}\n`,
      'src/core/b.ts': 'export const b = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
      'src/core/c.ts': 'export const c = (a: any): unknown => a;\n',
      'src/core/d.ts': 'export const d = (a: number | null): number => a!;\n',
      'src/core/e.ts':
        'async function later(): Promise<void> {\n  await Promise.resolve();\n}\nexport function e(): void {\n  later();\n}\n',
      'src/core/f.ts': 'export const f = "double"\n',
    });
    const rules = found.map((line) => line.split(': ')[0]);
    expect(rules.sort()).toEqual([
      'src/core/a.ts:1 lint/complexity/noExcessiveLinesPerFunction',
      'src/core/b.ts:1 lint/complexity/useMaxParams',
      'src/core/c.ts:1 lint/suspicious/noExplicitAny',
      'src/core/d.ts:1 lint/style/noNonNullAssertion',
      'src/core/e.ts:5 lint/nursery/noFloatingPromises',
      'src/core/f.ts:1 format',
    ]);
  });
});

describe('links', () => {
  it('finds links to missing files and missing headings', async () => {
    const found = await findings('links', {
      'README.md': '# A b\n[ok](#a-b) [ok](docs/a.md#second-part) [no](docs/b.md)\n',
      'docs/a.md':
        '## Second part\n[no](#third) [ok](../README.md) [far](https://example.com/x)\n```\n[code](no.md)\n```\n',
    });
    expect(found).toEqual([
      "README.md:2 dead-link: 'docs/b.md' leads nowhere",
      "docs/a.md:2 dead-link: '#third' leads nowhere",
    ]);
  });

  it('finds two decisions with one number', async () => {
    const found = await findings('links', { 'docs/decisions/0001-a.md': '', 'docs/decisions/0001-b.md': '' });
    expect(found).toEqual([
      'docs/decisions/0001-b.md:1 shared-number: docs/decisions/0001-a.md has this number already',
    ]);
  });
});

describe('types', () => {
  it('finds a type error', { timeout: 600_000 }, async () => {
    const found = await findings('types', {
      'tsconfig.json': '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["src"] }',
      'src/core/a.ts': 'export const a: number = "text";\n',
    });
    expect(found).toEqual([expect.stringMatching(/^src\/core\/a\.ts:1 TS2322: /)]);
  });
});
