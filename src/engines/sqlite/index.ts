// The sqlite engine: an embedded, durable store in one file, owned by one process, written by one thread of it.
import type { Engine } from '../../engine/port.ts';
import { ThreadChannel } from './channel.ts';
import { SqliteEngine } from './engine.ts';
import { type SqliteOptions, withDefaults } from './options.ts';

export type { IntegrityCheck, SqliteOptions } from './options.ts';

/**
 * An engine over one database file, or over memory with `:memory:`. Needs the package `better-sqlite3`.
 * `open()` may fail with SECOND_OWNER, SCHEMA_NEWER, CORRUPT or STORE_UNAVAILABLE.
 */
export function sqliteEngine(options: SqliteOptions): Engine {
  const config = withDefaults(options);
  const durable = config.file !== ':memory:';
  return new SqliteEngine(new ThreadChannel(config), { durable });
}
