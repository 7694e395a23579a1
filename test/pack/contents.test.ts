// What `npm pack` would publish: everything that package.json names, and nothing that only this repository needs.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function packed(): readonly string[] {
  // Without scripts: `npm test` has just built, and other tests are using dist.
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const report = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }));
  const [pack] = Array.isArray(report) ? report : Object.values(report);
  return pack.files.map((file: { path: string }) => file.path);
}

it('holds every file that package.json names', () => {
  const manifest = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const named = JSON.stringify([manifest.exports, manifest.bin]).matchAll(/"(?:\.\/)?(dist\/[^"*]+)"/g);
  const files = [...[...named].map(([, path = '']) => path), 'LICENSE', 'README.md', 'CHANGELOG.md'];
  const present = new Set(packed());
  expect(files.filter((path) => !present.has(path))).toEqual([]);
});

it('holds no tests and no sources', () => {
  const strangers = packed().filter(
    (path) => /\.test\.|^(src|test|bench|scripts)\//.test(path) || /(?<!\.d)\.ts$/.test(path),
  );
  expect(strangers).toEqual([]);
});
