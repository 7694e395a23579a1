// The suite over the sqlite engine: on a file through its thread, as in production, and in memory with a recount of every
// row at the end of each case.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { conformance, type OpenOptions } from '../../conformance/index.ts';
import { SqliteEngine } from './engine.ts';
import type { sqliteEngine } from './index.ts';
import { LocalChannel } from './local-channel.ts';
import { withDefaults } from './options.ts';
import { recount } from './recount.ts';

const src = fileURLToPath(new URL('../../', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'sluice-conformance-'));
mkdirSync(join(src, '..', '.tmp'), { recursive: true });
const built = mkdtempSync(join(src, '..', '.tmp', 'sqlite-'));
afterAll(() => {
  for (const folder of [data, built]) rmSync(folder, { recursive: true, force: true });
});

/** The engine compiled: each case starts a thread, and to load TypeScript into three hundred of them takes minutes. */
async function builtEngine(): Promise<typeof sqliteEngine> {
  for (const folder of ['core', 'engine', 'engines/sqlite']) {
    mkdirSync(join(built, folder), { recursive: true });
    for (const name of readdirSync(join(src, folder))) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const text = readFileSync(join(src, folder, name), 'utf8').replaceAll(
        /(['"]\.[^'"]*)\.ts(['"])/g,
        '$1.mjs$2',
      );
      const options = {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      };
      const { outputText } = ts.transpileModule(text, { compilerOptions: options });
      writeFileSync(join(built, folder, name.replace(/\.ts$/, '.mjs')), outputText);
    }
  }
  cpSync(join(src, 'engines/sqlite/sql'), join(built, 'engines/sqlite/sql'), { recursive: true });
  const entry = pathToFileURL(join(built, 'engines/sqlite/index.mjs')).href;
  return ((await import(/* @vite-ignore */ entry)) as { sqliteEngine: typeof sqliteEngine }).sqliteEngine;
}

let compiled: Promise<typeof sqliteEngine> | null = null;

async function openFile(namespace: string, { defaults }: OpenOptions) {
  compiled ??= builtEngine();
  const engine = (await compiled)({ file: join(data, `${namespace}.db`), defaults });
  await engine.open();
  return engine;
}

conformance({ name: 'sqlite file', open: openFile, reopen: openFile }, { describe, it });

conformance(
  {
    name: 'sqlite memory',
    open: async (_namespace, { defaults }) => {
      const channel = new LocalChannel(withDefaults({ file: ':memory:', defaults }));
      const engine = new SqliteEngine(channel, { durable: false });
      await engine.open();
      const close = engine.close.bind(engine);
      engine.close = async () => {
        if (channel.isOpen) expect(recount(channel.db)).toEqual([]);
        await close();
      };
      return engine;
    },
  },
  { describe, it },
);
