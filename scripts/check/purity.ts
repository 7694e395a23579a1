// core, engine and engines are told the time and the dice, they never reach for them: no clock, randomness, timer or process.
// One clock read is allowed per engine, inside its `now()`. And process.env is read in cli/ and compose/ only.
import ts from 'typescript';
import type { Finding } from './finding.ts';
import { importsOf, lineOf, parse } from './imports.ts';
import { isTest, type SourceFile, sourceFiles, srcFiles } from './source-files.ts';

const TIMERS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
];
const PURE_RULES: ReadonlyMap<string, string> = new Map([
  ...TIMERS.map((name) => [name, 'timer'] as const),
  ['performance', 'clock'],
  ['process', 'process'],
  ['globalThis', 'global'],
  ['global', 'global'],
]);
/** Core does no I/O at all, and has no randomness of any kind. */
const CORE_RULES: ReadonlyMap<string, string> = new Map([
  ...PURE_RULES,
  ['console', 'io'],
  ['fetch', 'io'],
  ['Buffer', 'io'],
  ['crypto', 'randomness'],
]);
const MODULES: ReadonlyMap<string, string> = new Map([
  ['timers', 'timer'],
  ['timers/promises', 'timer'],
  ['process', 'process'],
  ['perf_hooks', 'clock'],
]);
/** What may be said of Date and Math without reading the clock or throwing dice. */
const DATE_MEMBERS = new Set(['parse', 'UTC']);
/** Statements of SQL, so that an English sentence with the word "random" is none. */
const SQL_START = /^\s*(select|insert|update|delete|with|create|pragma|replace)\b/i;
const SQL_CLOCK =
  /\b(unixepoch|julianday|strftime|datetime|now|clock_timestamp)\s*\(|\bcurrent_(timestamp|time|date)\b/i;
const SQL_DICE = /\b(random|randomblob|gen_random_uuid|uuid_generate_v4)\s*\(/i;

interface Spot {
  readonly rule: string;
  readonly what: string;
  readonly node: ts.Node;
}

export function checkPurity(root: string): readonly Finding[] {
  const files = srcFiles(root).filter((file) => !isTest(file.path));
  const found = files.flatMap((file) => (isPure(file.path) ? pureFindings(file) : environmentFindings(file)));
  const queries = sourceFiles(root, new Set(['.sql'])).filter((file) => isPure(file.path));
  return withoutFirstClocks([...found, ...queries.flatMap(queryFindings)]);
}

function isPure(path: string): boolean {
  return /^src\/(core|engine|engines)\//.test(path);
}

/** A clock read inside `now()` of an engine is legal once; findings of it carry this rule until they are counted. */
const STORE_CLOCK = 'store-clock';

function pureFindings(file: SourceFile): readonly Finding[] {
  const tree = parse(file);
  const names = file.path.startsWith('src/core/') ? CORE_RULES : PURE_RULES;
  const spots: Spot[] = [];
  const visit = (node: ts.Node): void => {
    if (isErased(node)) return;
    const spot = spotAt(node, names);
    if (spot !== null) spots.push(spot);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const engine = file.path.startsWith('src/engines/');
  const found = spots.map((spot) => ({
    file: file.path,
    line: lineOf(tree, spot.node),
    rule: engine && spot.rule === 'clock' && insideNow(spot.node) ? STORE_CLOCK : spot.rule,
    message: `${spot.what} is forbidden here; it is passed in`,
  }));
  return [...found, ...moduleFindings(file)];
}

function moduleFindings(file: SourceFile): readonly Finding[] {
  return importsOf(file).flatMap((edge) => {
    const rule = MODULES.get(edge.specifier.replace(/^node:/, ''));
    const message = `'${edge.specifier}' is forbidden here; what it does is passed in`;
    return rule === undefined ? [] : [{ file: file.path, line: edge.line, rule, message }];
  });
}

/** Types, and the names of properties, say nothing about what runs. */
function isErased(node: ts.Node): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  return ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node);
}

function spotAt(node: ts.Node, names: ReadonlyMap<string, string>): Spot | null {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) return sqlSpot(node);
  if (!ts.isIdentifier(node) || isPropertyName(node)) return null;
  const rule = names.get(node.text);
  if (rule !== undefined) return { rule, what: node.text, node };
  if (node.text === 'Date' && !isHarmlessDate(node))
    return { rule: 'clock', what: 'the clock of Date', node };
  if (node.text === 'Math' && !isHarmlessMath(node)) return { rule: 'randomness', what: 'Math.random', node };
  if (node.text === 'AbortSignal' && memberOf(node) === 'timeout') {
    return { rule: 'timer', what: 'AbortSignal.timeout', node };
  }
  return null;
}

function sqlSpot(node: ts.StringLiteralLike | ts.TemplateExpression): Spot | null {
  const text = ts.isTemplateExpression(node) ? node.getText().slice(1) : node.text;
  if (!SQL_START.test(text)) return null;
  if (SQL_DICE.test(text)) return { rule: 'randomness', what: 'randomness in SQL', node };
  return SQL_CLOCK.test(text) ? { rule: 'clock', what: 'a clock in SQL', node } : null;
}

function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isBindingElement(parent) || ts.isImportSpecifier(parent)) return parent.propertyName === node;
  return (ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name === node;
}

function isHarmlessDate(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isNewExpression(parent)) return parent.expression === node && (parent.arguments?.length ?? 0) > 0;
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  return DATE_MEMBERS.has(memberOf(node) ?? '');
}

function isHarmlessMath(node: ts.Identifier): boolean {
  const member = memberOf(node);
  return member !== null && member !== 'random';
}

function memberOf(node: ts.Identifier): string | null {
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : null;
}

/** Inside a function called now, or the text of a statement that is filed under now or clock. */
function insideNow(node: ts.Node): boolean {
  const filed = ts.isPropertyAssignment(node.parent) ? node.parent.name.getText() : '';
  if (filed === 'now' || filed === 'clock') return true;
  return ts.findAncestor(node, (up) => ts.isFunctionLike(up) && nameOf(up) === 'now') !== undefined;
}

function nameOf(node: ts.SignatureDeclaration): string | null {
  const named = node.name ?? (ts.isPropertyAssignment(node.parent) ? node.parent.name : undefined);
  return named?.getText() ?? null;
}

/** A query that reads the store's clock has a file of its own, now.sql. */
function queryFindings(file: SourceFile): readonly Finding[] {
  const code = file.text.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, (comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  );
  return code.split('\n').flatMap((text, index) => {
    const at = { file: file.path, line: index + 1 };
    if (SQL_DICE.test(text))
      return [{ ...at, rule: 'randomness', message: 'randomness in SQL is forbidden' }];
    if (!SQL_CLOCK.test(text)) return [];
    const rule = file.path.endsWith('/now.sql') ? STORE_CLOCK : 'clock';
    return [{ ...at, rule, message: 'a clock in SQL is forbidden here; it is passed in' }];
  });
}

/** Drops the one legal clock of each engine and keeps every further one. */
function withoutFirstClocks(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>();
  return findings.flatMap((finding) => {
    if (finding.rule !== STORE_CLOCK) return [finding];
    const engine = finding.file.split('/')[2] ?? '';
    const first = !seen.has(engine);
    seen.add(engine);
    return first
      ? []
      : [{ ...finding, rule: 'clock', message: `${engine} reads the store clock in a second place` }];
  });
}

function environmentFindings(file: SourceFile): readonly Finding[] {
  if (/^src\/(cli|compose)\//.test(file.path)) return [];
  const tree = parse(file);
  const findings: Finding[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node) && node.getText(tree) === 'process.env') {
      const message = 'process.env is read in cli/ and compose/ only';
      findings.push({ file: file.path, line: lineOf(tree, node), rule: 'environment', message });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return findings;
}
