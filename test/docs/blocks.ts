// The fenced blocks of the pages, and what their info strings ask for.
//
//   sh                 run by bash in the page's folder, in the page's order; must exit 0
//   sh background      started there and waited for until the server answers; stopped at the page's end
//   sh norun=REASON    not run; the reason is the rest of the line
//   ts                 type-checked against the built package
//   ts file=NAME       the same, and written into the page's folder, for later blocks to use
//   ts run file=NAME   the same, and run there
//
// Other languages show data or text and are not run; second names of these two are refused, so that nothing slips by.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Block {
  readonly page: string;
  /** The line of its first fence, 1-based. */
  readonly line: number;
  readonly language: 'sh' | 'ts';
  readonly code: string;
  readonly mode: 'run' | 'background' | 'compile' | 'norun';
  /** Where mode is norun. */
  readonly reason: string | null;
  readonly file: string | null;
}

const REFUSED = new Set([
  'bash',
  'shell',
  'console',
  'zsh',
  'typescript',
  'js',
  'javascript',
  'mjs',
  'mts',
  'tsx',
]);
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** README.md and its neighbours, then docs/, relative to the root. */
export function pagesOf(root: string): readonly string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name}`,
  );
  return [...readdirSync(root), ...docs].filter((name) => name.endsWith('.md')).sort();
}

export function blocksOf(root: string, page: string): readonly Block[] {
  return parseBlocks(page, readFileSync(join(root, page), 'utf8'));
}

export function parseBlocks(page: string, text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; info: string; line: number; code: string[] } | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence = '', rest = ''] = FENCE.exec(line) ?? [];
    if (open === null) {
      if (fence !== '') open = { fence, info: rest.trim(), line: index + 1, code: [] };
    } else if (fence.startsWith(open.fence) && rest.trim() === '') {
      const block = blockOf(page, open.line, open.info, open.code);
      if (block !== null) blocks.push(block);
      open = null;
    } else {
      open.code.push(line);
    }
  }
  if (open !== null) throw new Error(`${page}:${open.line} the block is never closed`);
  return blocks;
}

function blockOf(page: string, line: number, info: string, code: readonly string[]): Block | null {
  const [language = '', ...marks] = info.split(/\s+/);
  const at = `${page}:${line}`;
  if (REFUSED.has(language)) throw new Error(`${at} write sh or ts instead of ${language}`);
  if (language !== 'sh' && language !== 'ts') return null;
  const block = { page, line, code: `${code.join('\n')}\n`, reason: null, file: null };
  const [mark = ''] = marks;
  if (mark === '') return { ...block, language, mode: language === 'sh' ? 'run' : 'compile' };
  if (mark.startsWith('norun=')) {
    return { ...block, language, mode: 'norun', reason: marks.join(' ').slice('norun='.length) };
  }
  if (language === 'sh' && mark === 'background') return { ...block, language, mode: 'background' };
  const file = /^(run )?file=([a-z0-9-]+\.ts)$/.exec(marks.join(' '));
  if (language === 'ts' && file !== null) {
    return { ...block, language, mode: file[1] === undefined ? 'compile' : 'run', file: file[2] ?? null };
  }
  throw new Error(`${at} does not understand ${JSON.stringify(info)}`);
}
