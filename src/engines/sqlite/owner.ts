// One owner per file. The lock is an exclusive lock on a companion database, `<file>.lock`, held for as long as the store
// is open. Why not the database's own locking_mode=EXCLUSIVE: that would keep a `sqlite3` shell and a backup from reading
// it. Why not a pid file: this lock is the kernel's, so it ends with the process however that ends, and SQLite keeps it
// apart from other connections of the same process too, which plain POSIX locks would not.
import { chmodSync, closeSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { EngineError } from '../../engine/errors.ts';

/** Makes the folder (0700) and the file (0600) where they are missing. Returns the path without symbolic links. */
export function prepareFile(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makePrivate(file);
  return realpathSync(file);
}

/** @returns the lock; close it to let go */
export function takeOwnership(Sqlite: typeof BetterSqlite, file: string): Database {
  const path = `${file}.lock`;
  makePrivate(path);
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    lock.pragma('locking_mode = EXCLUSIVE');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    if ((cause as { code?: string }).code?.startsWith('SQLITE_BUSY')) {
      throw new EngineError('SECOND_OWNER', `${file} is open in another server`, { cause });
    }
    throw cause;
  }
}

/** `a` creates it only where it is missing; the mode is set for new and old files alike. */
function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}
