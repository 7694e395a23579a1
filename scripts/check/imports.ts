// What a file imports, read from its syntax tree: import and export declarations, import(), require() and the entries of threads
// (`new URL('./x.ts', import.meta.url)`), types included.
import { posix } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.ts';

export interface Import {
  readonly from: string;
  readonly line: number;
  readonly specifier: string;
  /** The imported file relative to the root, or null for a package or a built-in module. */
  readonly target: string | null;
  /** `entry`: named by URL, loaded by a thread of its own. */
  readonly kind: 'import' | 're-export' | 'entry';
}

export function parse(file: SourceFile): ts.SourceFile {
  return ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
}

export function lineOf(tree: ts.SourceFile, node: ts.Node): number {
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

export function importsOf(file: SourceFile): readonly Import[] {
  const tree = parse(file);
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: string, kind: Import['kind']): void => {
    const relative = specifier.startsWith('.');
    const target = relative ? posix.join(posix.dirname(file.path), specifier) : null;
    found.push({ from: file.path, line: lineOf(tree, node), specifier, target, kind });
  };
  const visit = (node: ts.Node): void => {
    const seen = importIn(node);
    if (seen !== null) add(node, seen.specifier, seen.kind);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function importIn(node: ts.Node): { specifier: string; kind: Import['kind'] } | null {
  if (ts.isImportDeclaration(node)) return named(node.moduleSpecifier, 'import');
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, 're-export');
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return named(node.argument.literal, 'import');
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return named(node.arguments[0], 'import');
  }
  if (ts.isCallExpression(node) && isName(node.expression, 'require')) {
    return named(node.arguments[0], 'import');
  }
  if (ts.isNewExpression(node) && isName(node.expression, 'URL') && isOwnUrl(node.arguments?.[1])) {
    const entry = named(node.arguments?.[0], 'entry');
    return entry?.specifier.endsWith('.ts') ? entry : null;
  }
  return null;
}

function named(node: ts.Node | undefined, kind: Import['kind']) {
  return node !== undefined && ts.isStringLiteralLike(node) ? { specifier: node.text, kind } : null;
}

function isName(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

function isOwnUrl(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isPropertyAccessExpression(node) && ts.isMetaProperty(node.expression);
}
