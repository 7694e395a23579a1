// Nothing is switched off and nothing is left for later: no comment silences a tool, and none promises work.
import ts from 'typescript';
import type { Finding } from './finding.ts';
import { type SourceFile, sourceFiles } from './source-files.ts';

const SILENCER =
  /biome-ignore|@ts-(ignore|nocheck)|eslint-disable|(v8|c8|istanbul) ignore|jscpd:ignore|@knipignore/;
const PROMISE = /\b(TODO|FIXME|XXX|HACK)\b/;
const SCRIPTS = new Set(['.ts', '.tsx', '.mts', '.mjs', '.js']);

export function checkComments(root: string): readonly Finding[] {
  return sourceFiles(root, SCRIPTS).flatMap((file) =>
    commentsOf(file).flatMap(({ text, line }) => {
      const at = { file: file.path, line };
      if (SILENCER.test(text)) {
        return [{ ...at, rule: 'silenced-check', message: 'no exemptions: mend what the tool found' }];
      }
      return PROMISE.test(text)
        ? [{ ...at, rule: 'open-promise', message: 'do it now, or write it down where work is planned' }]
        : [];
    }),
  );
}

function commentsOf(file: SourceFile): readonly { text: string; line: number }[] {
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
  const found = new Map<number, { text: string; line: number }>();
  const collect = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      const line = tree.getLineAndCharacterOfPosition(pos).line + 1;
      found.set(pos, { text: file.text.slice(pos, end), line });
    }
  };
  const visit = (node: ts.Node): void => {
    // Template text is no code: `//` inside it opens no comment.
    if (ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) return;
    collect(ts.getLeadingCommentRanges(file.text, node.getFullStart()));
    collect(ts.getTrailingCommentRanges(file.text, node.getEnd()));
    for (const child of node.getChildren(tree)) visit(child);
  };
  visit(tree);
  return [...found.values()];
}
