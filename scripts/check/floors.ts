// Imports go down only: never up, never across, and only cli/ and compose/ name a concrete engine. The table below is the
// rule; a folder of src/ that is not in it has no place in the house yet.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import type { Finding } from './finding.ts';
import { type Import, importsOf } from './imports.ts';
import { isTest, srcFiles } from './source-files.ts';

interface Floor {
  readonly level: number;
  readonly imports: readonly string[];
}

const MIDDLE = ['engine', 'core'];
const TOP = ['server', 'broker', 'worker', 'producer', 'engines', 'engine', 'core'];

const FLOORS: Readonly<Record<string, Floor>> = {
  core: { level: 0, imports: [] },
  engine: { level: 1, imports: ['core'] },
  engines: { level: 2, imports: MIDDLE },
  testing: { level: 2, imports: MIDDLE },
  conformance: { level: 2, imports: MIDDLE },
  broker: { level: 3, imports: MIDDLE },
  worker: { level: 3, imports: MIDDLE },
  producer: { level: 3, imports: MIDDLE },
  server: { level: 4, imports: ['broker', 'worker', 'producer', ...MIDDLE] },
  compose: { level: 5, imports: TOP },
  cli: { level: 5, imports: ['compose', ...TOP] },
  'index.ts': { level: 6, imports: ['compose', 'server', 'broker', 'worker', 'producer', ...MIDDLE] },
};

/** The one written exception between engines: rabbitmq keeps its rows in a postgres store. */
const ENGINE_EXCEPTIONS = new Set(['rabbitmq -> postgres']);
/** Pure packages; anything else in core would bring I/O, a clock or randomness in by the back door. */
const CORE_PACKAGES = new Set(['ajv', 'ajv-formats', 'canonicalize', 'fastest-levenshtein', 'typebox']);
const DRIVERS: Readonly<Record<string, string>> = {
  'better-sqlite3': 'sqlite',
  ioredis: 'redis',
  pg: 'postgres',
  amqplib: 'rabbitmq',
};

/** [rule, message], or null where the import is fine. */
type Verdict = readonly [rule: string, message: string] | null;

export function checkFloors(root: string): readonly Finding[] {
  const entries = publicEntries(root);
  const files = srcFiles(root);
  const placed = files.flatMap((file) => misplaced(file.path));
  const wrong = files
    .flatMap(importsOf)
    .flatMap((edge) =>
      judge(edge, entries).map(([rule, message]) => ({ file: edge.from, line: edge.line, rule, message })),
    );
  const barrels = files
    .filter((file) => file.path.endsWith('/index.ts') && !entries.has(file.path))
    .map((file) => ({
      file: file.path,
      line: 1,
      rule: 'barrel',
      message: 'index.ts is for an engine or an entry of package.json; name the file for what it holds',
    }));
  return [...placed, ...wrong, ...barrels, ...enginesWithoutHarness(root), ...dashboardImports(root)];
}

function judge(edge: Import, entries: ReadonlySet<string>): readonly (readonly [string, string])[] {
  const verdicts = [
    edge.target === null ? judgePackage(edge) : judgeFloor(edge, edge.target),
    edge.kind === 're-export' && !entries.has(edge.from) ? barrelOf(edge) : null,
  ];
  return verdicts.filter((verdict) => verdict !== null);
}

function barrelOf(edge: Import): Verdict {
  return ['barrel', `re-exports '${edge.specifier}'; let the importer name the file that holds it`];
}

function judgePackage(edge: Import): Verdict {
  const name = edge.specifier.split('/', edge.specifier.startsWith('@') ? 2 : 1).join('/');
  if (name === 'sluice') return ['front-door', 'nothing inside imports the package itself'];
  if (isTest(edge.from)) return null;
  const folder = folderOf(edge.from);
  if (isBuiltin(edge.specifier)) {
    return folder === 'core' ? ['node-in-core', `core is pure and cannot import '${edge.specifier}'`] : null;
  }
  if (folder === 'core' && !CORE_PACKAGES.has(name)) {
    return ['package-in-core', `'${name}' is not one of the pure packages that core may use`];
  }
  const owner = DRIVERS[name];
  if (owner !== undefined && !edge.from.startsWith(`src/engines/${owner}/`)) {
    return ['driver-outside-engine', `'${name}' belongs to src/engines/${owner}`];
  }
  return null;
}

function judgeFloor(edge: Import, target: string): Verdict {
  if (target === 'src/index.ts') return ['front-door', 'nothing inside imports src/index.ts'];
  if (isTest(edge.from) && target.startsWith('test/')) return null;
  if (!target.startsWith('src/')) return ['outside-import', `reaches out of src/ to '${target}'`];
  const from = folderOf(edge.from);
  const to = folderOf(target);
  if (from === 'engines' && to === 'engines') return judgeEngines(edge.from, target);
  if (from === to) return null;
  const [own, other] = [FLOORS[from], FLOORS[to]];
  if (own === undefined || other === undefined) return null; // misplaced() has reported the folder
  if (own.imports.includes(to)) return null;
  if (isTest(edge.from) && own.level >= 2 && ['engines', 'testing', 'conformance'].includes(to)) return null;
  const what = `${from} (floor ${own.level}) imports '${target}' of ${to} (floor ${other.level})`;
  if (other.level > own.level) return ['upward-import', what];
  if (other.level === own.level) return ['sideways-import', what];
  return to === 'engines'
    ? ['concrete-engine', `${what}; only cli and compose name one`]
    : ['closed-import', what];
}

function judgeEngines(from: string, target: string): Verdict {
  const [own, other] = [engineOf(from), engineOf(target)];
  if (own === other || isTest(from) || ENGINE_EXCEPTIONS.has(`${own} -> ${other}`)) return null;
  return ['engine-to-engine', `${own} imports '${target}' of ${other}; engines never reach into each other`];
}

function misplaced(path: string): readonly Finding[] {
  const folder = folderOf(path);
  const known = FLOORS[folder] !== undefined && !(folder === 'engines' && path.split('/').length < 4);
  if (known) return [];
  return [{ file: path, line: 1, rule: 'unknown-folder', message: 'lies on no floor of src/' }];
}

/** src/index.ts, each engine's index.ts, and what package.json exports or starts. */
function publicEntries(root: string): ReadonlySet<string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const built = JSON.stringify([manifest.exports ?? {}, manifest.bin ?? {}]).matchAll(
    /"\.?\/?dist\/([^"*]+)\.js"/g,
  );
  const engines = engineNames(root).map((name) => `src/engines/${name}/index.ts`);
  return new Set([...[...built].map((match) => `src/${match[1]}.ts`), ...engines]);
}

function enginesWithoutHarness(root: string): readonly Finding[] {
  return engineNames(root)
    .filter((name) => !existsSync(join(root, 'src/engines', name, 'conformance.test.ts')))
    .map((name) => ({
      file: `src/engines/${name}`,
      line: 1,
      rule: 'engine-without-harness',
      message: 'has no conformance.test.ts, so nothing shows that it keeps the port',
    }));
}

/** The dashboard reaches the rest by HTTP alone. */
function dashboardImports(root: string): readonly Finding[] {
  const folder = join(root, 'dashboard');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => posix.join('dashboard', name.replaceAll('\\', '/')))
    .flatMap((path) => importsOf({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter((edge) => edge.target !== null && !edge.target.startsWith('dashboard/'))
    .map((edge) => ({
      file: edge.from,
      line: edge.line,
      rule: 'dashboard-import',
      message: `imports '${edge.specifier}'; the dashboard speaks HTTP only`,
    }));
}

function engineNames(root: string): readonly string[] {
  const folder = join(root, 'src/engines');
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function folderOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function engineOf(path: string): string {
  return path.split('/')[2] ?? '';
}
