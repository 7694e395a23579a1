// Which files the checks look at, with their text. The folders are those of the project's layout; what is built, installed
// or written at run time lies outside them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const FOLDERS = ['src', 'test', 'bench', 'examples', 'scripts', 'dashboard', 'deploy'];
const SKIPPED = new Set(['node_modules', 'dist']);

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Files with one of the endings, in the order of their paths. */
export function sourceFiles(root: string, endings: ReadonlySet<string>): readonly SourceFile[] {
  return FOLDERS.flatMap((folder) => walk(root, folder))
    .filter((path) => endings.has(extname(path)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** TypeScript under src/. */
export function srcFiles(root: string): readonly SourceFile[] {
  return sourceFiles(root, new Set(['.ts'])).filter((file) => file.path.startsWith('src/'));
}

export function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

function walk(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : walk(root, path);
    return entry.isFile() ? [path] : [];
  });
}
