// The suite over the sqlite engine, on a file and in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { conformance, type OpenOptions } from '../../conformance/index.ts';
import { SqliteEngine } from './engine.ts';
import { sqliteEngine, withDefaults } from './index.ts';
import { LocalChannel } from './local-channel.ts';
import { recount } from './recount.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function openFile(namespace: string, { defaults }: OpenOptions) {
  const engine = sqliteEngine({ file: join(folder, `${namespace}.db`), defaults });
  await engine.open();
  return engine;
}

// Through the thread, as in production.
conformance({ name: 'sqlite file', open: openFile, reopen: openFile }, { describe, it });

// In this process: each case ends with a recount of every row.
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
