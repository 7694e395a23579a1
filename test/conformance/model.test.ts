// Random histories of sqlite against the memory engine: five hundred agree, and bugs planted into the store's SQL are
// found and made small.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDisagreement, type ModelBench } from '../../src/conformance/chapters/model.ts';
import type { OpenLab } from '../../src/conformance/frame.ts';
import type { OpenOptions } from '../../src/conformance/harness.ts';
import { Lab } from '../../src/conformance/lab.ts';
import { memoryEngine } from '../../src/engines/memory/index.ts';
import { SqliteEngine } from '../../src/engines/sqlite/engine.ts';
import { LocalChannel } from '../../src/engines/sqlite/local-channel.ts';
import { withDefaults } from '../../src/engines/sqlite/options.ts';
import { SqliteStore } from '../../src/engines/sqlite/sqlite-store.ts';
import { SQL, type SqlName } from '../../src/engines/sqlite/statements.ts';
import { SEED } from '../seed.ts';

const HISTORIES = 500;

type Planted = Partial<Record<SqlName, string>>;

const openModel: OpenLab = (settings) =>
  Lab.open(
    {
      name: 'memory',
      open: async (_namespace, { defaults }) => {
        const engine = memoryEngine({ defaults });
        await engine.open();
        return engine;
      },
    },
    'model',
    settings,
  );

/** sqlite in this process, with some of its statements exchanged. */
async function openSqlite(
  file: string,
  { defaults }: OpenOptions,
  planted: Planted = {},
): Promise<SqliteEngine> {
  const config = { ...withDefaults({ file, defaults }), durability: 'relaxed' } as const;
  const channel = new LocalChannel(config, (db) => new SqliteStore(db, config, { ...SQL, ...planted }));
  const engine = new SqliteEngine(channel, { durable: file !== ':memory:' });
  await engine.open();
  return engine;
}

function inMemory(planted: Planted = {}): ModelBench {
  const open = (_namespace: string, options: OpenOptions) => openSqlite(':memory:', options, planted);
  return { openModel, openEngine: (settings) => Lab.open({ name: 'sqlite', open }, 'tested', settings) };
}

/** A file for each history; its engine is closed and opened again within. */
function onFiles(folder: string): ModelBench {
  let count = 0;
  const open = (namespace: string, options: OpenOptions) =>
    openSqlite(join(folder, `${namespace}.db`), options);
  return {
    openModel,
    openEngine: (settings) => {
      count += 1;
      return Lab.open({ name: 'sqlite', open, reopen: open }, `tested-${count}`, settings);
    },
  };
}

const PLANTED: Record<string, Planted> = {
  'hands out what has expired': {
    readyHead:
      'SELECT pos, seq, available_at, NULL, deliveries FROM ready WHERE line = ? ORDER BY pos LIMIT ?',
  },
  'forgets the key of a redriven task': {
    stopLapse: 'DELETE FROM lapsing WHERE 0 AND key = ? AND held_until = ?',
  },
  'drops the newest dead letter, not the oldest': {
    oldestDead: 'SELECT at, seq FROM dead WHERE list = ? ORDER BY at DESC, seq DESC LIMIT ?',
  },
  'lists a task on two pages': {
    tasksBelow: SQL.tasksBelow.replace('t.id < ?', 't.id <= ?'),
  },
};

describe('sqlite against the model', () => {
  it(`${HISTORIES} random histories agree`, async () => {
    expect(await findDisagreement(inMemory(), HISTORIES, SEED)).toBeNull();
  });

  it('and so they do where the engine is opened again in between', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-model-'));
    try {
      expect(await findDisagreement(onFiles(folder), 60, SEED)).toBeNull();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  for (const [bug, statements] of Object.entries(PLANTED)) {
    it(`finds a store that ${bug}, in at most 10 steps`, async () => {
      const found = await findDisagreement(inMemory(statements), HISTORIES, SEED);
      expect(found).not.toBeNull();
      expect(found?.history.steps.length).toBeLessThanOrEqual(10);
      console.log(`${bug}: seed ${found?.seed}, ${JSON.stringify(found?.history.steps)}`);
    });
  }
});
