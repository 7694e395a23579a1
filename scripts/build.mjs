// Compiles src/ to dist/, copies what is not TypeScript (SQL files) beside it, and swaps the result in as a whole, so that
// a process which starts while another one builds finds the old dist or the new one, never half of it.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
mkdirSync(join(root, '.tmp'), { recursive: true });
const work = mkdtempSync(join(root, '.tmp', 'build-'));
const fresh = join(work, 'dist');

try {
  compile();
  cpSync(join(root, 'src'), fresh, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  pointAtJs();
  const main = join(fresh, 'cli', 'main.js');
  if (existsSync(main)) chmodSync(main, 0o755);
  if (existsSync(dist)) renameSync(dist, join(work, 'old'));
  renameSync(fresh, dist);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function compile() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
      cwd: root,
      stdio: 'inherit',
    });
  } catch {
    console.error('build: the compiler found errors; dist/ is as it was');
    rmSync(work, { recursive: true, force: true });
    process.exit(1);
  }
}

/**
 * The compiler rewrites the endings of imports in .js files, but neither in declarations nor in
 * `new URL('./thread.ts', import.meta.url)`.
 */
function pointAtJs() {
  for (const name of readdirSync(fresh, { recursive: true })) {
    if (name.endsWith('.d.ts')) {
      rewrite(name, /((?:from|import)\s*\(?\s*(['"])\.{1,2}\/[^'"]+)\.ts(\2)/g);
    } else if (name.endsWith('.js')) {
      rewrite(name, /(new URL\(\s*(['"])\.{1,2}\/[^'"]+)\.ts(\2,\s*import\.meta\.url)/g);
    }
  }
}

function rewrite(name, pattern) {
  const path = join(fresh, name);
  const text = readFileSync(path, 'utf8');
  const pointed = text.replaceAll(pattern, '$1.js$3');
  if (pointed !== text) writeFileSync(path, pointed);
}
