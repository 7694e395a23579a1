// A relative link in a page must lead to a file, and its #part to a heading of that file; a decision has its own number.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Finding } from './finding.ts';

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

export function checkLinks(root: string): readonly Finding[] {
  return [...deadLinks(root), ...sharedNumbers(root)];
}

function sharedNumbers(root: string): readonly Finding[] {
  const taken = new Map<string, string>();
  return pages(root).flatMap((file) => {
    const number = /^docs\/decisions\/(\d{4})-/.exec(file)?.[1];
    const first = number === undefined ? undefined : taken.get(number);
    if (number !== undefined && first === undefined) taken.set(number, file);
    return first === undefined
      ? []
      : [{ file, line: 1, rule: 'shared-number', message: `${first} has this number already` }];
  });
}

function deadLinks(root: string): readonly Finding[] {
  return pages(root).flatMap((file) =>
    linesOf(join(root, file)).flatMap((text, index) =>
      [...text.matchAll(LINK)]
        .map(([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link) && isBroken(root, file, link))
        .map((link) => ({ file, line: index + 1, rule: 'dead-link', message: `'${link}' leads nowhere` })),
    ),
  );
}

function isBroken(root: string, page: string, link: string): boolean {
  const [path = '', part] = link.split('#', 2);
  const target = path === '' ? join(root, page) : join(root, normalize(join(dirname(page), path)));
  if (!existsSync(target)) return true;
  if (part === undefined || !target.endsWith('.md')) return false;
  return !linesOf(target).some((line) => line.startsWith('#') && anchorOf(line) === part);
}

/** As GitHub makes them: lower case, no punctuation but - and _, hyphens for spaces. */
function anchorOf(heading: string): string {
  const words = heading
    .replace(/^#+\s*/, '')
    .trim()
    .toLowerCase();
  return words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-');
}

/** Lines outside fenced blocks; a fence's lines are emptied, so that numbers stay. */
function linesOf(path: string): readonly string[] {
  if (statSync(path).isDirectory()) return [];
  let fenced = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => {
      const fence = line.trimStart().startsWith('```');
      if (fence) fenced = !fenced;
      return fence || fenced ? '' : line;
    });
}

function pages(root: string): readonly string[] {
  const docs = existsSync(join(root, 'docs'))
    ? readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)
    : [];
  return [...readdirSync(root), ...docs].filter((name) => name.endsWith('.md')).sort();
}
