// What the pages show works: shell blocks run, TypeScript blocks compile against the built package (blocks.ts says how).
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Block, blocksOf, pagesOf, parseBlocks } from './blocks.ts';
import { runPage } from './page-run.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE_MS_MAX = 180_000;
/** Blocks that nobody runs are how pages rot; more of them needs a better reason than "it was easier". */
const NORUN_MAX = 8;

const blocks = pagesOf(ROOT).flatMap((page) => blocksOf(ROOT, page));
const runs = (block: Block): boolean => block.mode === 'run' || block.mode === 'background';
const runPages = [...new Set(blocks.filter(runs).map((block) => block.page))];

describe('blocks that are run', () => {
  it.each(runPages)('%s runs from top to bottom', { timeout: PAGE_MS_MAX }, async (page) => {
    await runPage(
      ROOT,
      blocks.filter((block) => block.page === page && block.mode !== 'norun'),
    );
  });

  it('a TypeScript block runs, beside what an earlier one wrote', async () => {
    const good = parseBlocks(
      'page.md',
      `\`\`\`ts file=a.ts\nexport const a = 1;\n\`\`\`
\`\`\`ts run file=b.ts\nimport { writeFileSync } from 'node:fs';\nimport { a } from './a.ts';\nwriteFileSync('out', String(a));\n\`\`\`
\`\`\`sh\ntest "$(cat out)" = 1\n\`\`\`\n`,
    );
    await runPage(ROOT, good);
  });

  it('a block that fails is told with its place, its code and what it printed', async () => {
    const bad = parseBlocks('page.md', '# Page\n\n```sh\necho before\nfalse\necho after\n```\n');
    await expect(runPage(ROOT, bad)).rejects.toThrow(
      /^page\.md:3 ended with 1\necho before\nfalse[\s\S]*before\n$/,
    );
  });
});

describe('TypeScript blocks', () => {
  it('compile', { timeout: PAGE_MS_MAX }, async () => {
    const snippets = blocks.filter((block) => block.language === 'ts' && block.mode !== 'norun');
    expect(await compile(snippets)).toEqual([]);
  });

  it('are refused where they do not', { timeout: PAGE_MS_MAX }, async () => {
    const bad = parseBlocks('page.md', '```ts\nexport const a: number = "text";\n```\n');
    expect(await compile(bad)).toEqual([expect.stringMatching(/^page\.md:2 error TS2322/)]);
  });
});

describe('blocks that are not run', () => {
  const norun = blocks.filter((block) => block.mode === 'norun');

  it.each(norun)('$page:$line because: $reason', ({ reason }) => {
    expect(reason).not.toBe('');
  });

  it(`are at most ${NORUN_MAX}`, () => {
    expect(norun.length).toBeLessThanOrEqual(NORUN_MAX);
  });

  it('cannot hide behind another name or an unknown mark', () => {
    for (const info of ['bash', 'ts run', 'js', 'sh later', 'ts background', 'ts file=../a.ts']) {
      expect(() => parseBlocks('page.md', `\`\`\`${info}\nfalse\n\`\`\`\n`)).toThrow(/^page\.md:1 /);
    }
  });
});

/** The compiler's findings, with the places of the pages. */
async function compile(snippets: readonly Block[]): Promise<readonly string[]> {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  // Inside the repository, so that `import 'sluice'` is the package itself, by its exports.
  const folder = mkdtempSync(join(ROOT, '.tmp', 'snippets-'));
  try {
    const places = new Map<string, Block>();
    for (const block of snippets) {
      // A page's blocks may import each other by the names that they are given.
      const path = join(block.page.replaceAll(/\W/g, '-'), block.file ?? `line-${block.line}.ts`);
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), block.code);
      places.set(path, block);
    }
    const compilerOptions = {
      rootDir: '.',
      noUnusedLocals: false,
      noUnusedParameters: false,
      moduleDetection: 'force',
    };
    const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => placed(line, places));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function placed(line: string, places: ReadonlyMap<string, Block>): string {
  const [, path = '', inBlock, rest] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
  const block = places.get(path);
  return block === undefined ? line : `${block.page}:${block.line + Number(inBlock)} ${rest}`;
}
