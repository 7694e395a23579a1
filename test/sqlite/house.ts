// Engines over files of their own, closed and removed after each test.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach } from 'vitest';
import type { Engine } from '../../src/engine/port.ts';
import { SqliteEngine } from '../../src/engines/sqlite/engine.ts';
import { type SqliteOptions, sqliteEngine } from '../../src/engines/sqlite/index.ts';
import { LocalChannel } from '../../src/engines/sqlite/local-channel.ts';
import { type SqliteConfig, withDefaults } from '../../src/engines/sqlite/options.ts';
import type { SqliteStore } from '../../src/engines/sqlite/sqlite-store.ts';
import { newTask } from '../support/new-task.ts';
import { AT, CALL, SETTINGS } from './work.ts';

const opened: Engine[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-sqlite-'));
  folders.push(path);
  return path;
}

/** Through its thread, as in production. */
export async function open(options: SqliteOptions): Promise<Engine> {
  const engine = sqliteEngine({ defaults: SETTINGS, ...options });
  await engine.open();
  opened.push(engine);
  return engine;
}

/** In this process, with the database to look into. */
export async function openHere(
  options: SqliteOptions,
  make?: (db: Database, config: SqliteConfig) => SqliteStore,
): Promise<{ readonly engine: Engine; readonly db: Database }> {
  const channel = new LocalChannel(withDefaults({ defaults: SETTINGS, ...options }), make);
  const engine = new SqliteEngine(channel, { durable: options.file !== ':memory:' });
  await engine.open();
  opened.push(engine);
  return { engine, db: channel.db };
}

export async function submit(engine: Engine, given: Parameters<typeof newTask>[1] = {}): Promise<string> {
  const [result] = await engine.submit([newTask(AT, given)], CALL);
  if (result?.outcome !== 'created') throw new Error(`not created: ${JSON.stringify(result)}`);
  return result.id;
}
