// `npm pack`, then an empty folder installs the tarball, imports every public entry, type-checks against it, and runs
// `sluice`. Slow where better-sqlite3 has to be compiled, so it is `npm run test:pack` and not part of `npm test`.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const INSTALL_MS_MAX = 600_000;
const DEMO_MS_MAX = 180_000;

const base = mkdtempSync(join(tmpdir(), 'sluice-install-'));
const folder = join(base, 'empty');

beforeAll(async () => {
  mkdirSync(folder);
  const pack = ['pack', '--ignore-scripts', '--pack-destination', base];
  const { stdout } = await run('npm', pack, { cwd: ROOT });
  const tarball = join(base, stdout.trim().split('\n').at(-1) ?? '');
  await run('npm', ['install', tarball, '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder });
}, INSTALL_MS_MAX);

afterAll(() => rmSync(base, { recursive: true, force: true }));

function evaluate(code: string): Promise<string> {
  const args = ['--input-type=module', '--eval', code];
  return run(process.execPath, args, { cwd: folder }).then(({ stdout }) => stdout.trim());
}

describe('in an empty folder', () => {
  it.each(['sluice', 'sluice/sqlite', 'sluice/server', 'sluice/conformance'])(
    '%s can be imported',
    async (entry) => {
      const names = JSON.parse(
        await evaluate(`console.log(JSON.stringify(Object.keys(await import('${entry}'))))`),
      );
      expect(names.length).toBeGreaterThan(0);
    },
  );

  it.each(['sluice/internal/x', 'sluice/dist/core/id.js', 'sluice/core/id'])('%s is closed', async (path) => {
    const code = `console.log(await import('${path}').then(() => 'open', (error) => error.code))`;
    expect(await evaluate(code)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('the declarations serve a strict project', async () => {
    const code = `import { defineTask } from 'sluice';
export const greet = defineTask({
  type: 'greet',
  handler: async (payload: { name: string }, ctx) => {
    ctx.progress(50, 'thinking');
    return { greeting: payload.name };
  },
});
`;
    const compilerOptions = { module: 'NodeNext', target: 'ES2023', strict: true, noEmit: true, types: [] };
    writeFileSync(join(folder, 'greet.ts'), code);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['greet.ts'] }));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('npx sluice --help names the commands', async () => {
    const { stdout } = await run('npx', ['--no-install', 'sluice', '--help'], { cwd: folder });
    for (const command of ['serve', 'submit', 'queue', 'dlq', 'demo']) expect(stdout).toContain(command);
  });

  it('npx sluice demo runs to its end', { timeout: DEMO_MS_MAX }, async () => {
    const { stdout } = await run('npx', ['--no-install', 'sluice', 'demo'], { cwd: folder });
    expect(stdout).not.toBe('');
  });
});
