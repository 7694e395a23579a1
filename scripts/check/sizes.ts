// A file that nobody can read in one sitting is two files. Functions and parameters are counted by the linter.
import type { Finding } from './finding.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';

const SOURCE_LINES_MAX = 400;
const CHAPTER_LINES_MAX = 350;
const QUERY_LINES_MAX = 120;
const QUERIES = new Set(['.sql', '.lua']);
const SOURCES = new Set(['.ts', '.tsx', '.mts', '.mjs', '.js', '.css', '.sh']);

export function checkSizes(root: string): readonly Finding[] {
  return [
    ...sourceFiles(root, SOURCES).flatMap((file) =>
      longer(file, file.path.startsWith('src/conformance/') ? CHAPTER_LINES_MAX : SOURCE_LINES_MAX),
    ),
    ...sourceFiles(root, QUERIES).flatMap((file) => longer(file, QUERY_LINES_MAX)),
  ];
}

function longer(file: SourceFile, max: number): readonly Finding[] {
  const lines = file.text.replace(/\n$/, '').split('\n').length;
  if (lines <= max) return [];
  return [
    { file: file.path, line: max + 1, rule: 'file-too-long', message: `${lines} lines, at most ${max}` },
  ];
}
