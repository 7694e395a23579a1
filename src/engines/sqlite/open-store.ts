// Opening and closing a store: ownership, the database, its schema, the queues in memory. Runs in the thread, and in
// tests in their own process.
import type { Database } from 'better-sqlite3';
import { EngineError } from '../../engine/errors.ts';
import { asEngineError } from './failures.ts';
import type { SqliteConfig } from './options.ts';
import { prepareFile, takeOwnership } from './owner.ts';
import { prepareDatabase } from './schema.ts';

export interface OpenDatabase {
  readonly db: Database;
  /** Checkpoints, closes and lets go of the file. */
  readonly close: () => void;
}

export async function openDatabase(config: SqliteConfig): Promise<OpenDatabase> {
  const Sqlite = await loadDriver();
  const inMemory = config.file === ':memory:';
  let lock: Database | null = null;
  let db: Database | null = null;
  const close = () => {
    db?.close();
    lock?.close();
  };
  try {
    const file = inMemory ? config.file : prepareFile(config.file);
    if (!inMemory) lock = takeOwnership(Sqlite, file);
    db = new Sqlite(file);
    prepareDatabase(db, config);
    return { db, close };
  } catch (error) {
    close();
    throw asEngineError(error);
  }
}

async function loadDriver() {
  try {
    return (await import('better-sqlite3')).default;
  } catch (cause) {
    throw new EngineError(
      'STORE_UNAVAILABLE',
      'the sqlite store needs the package better-sqlite3: npm install better-sqlite3',
      { cause, retryable: false },
    );
  }
}
