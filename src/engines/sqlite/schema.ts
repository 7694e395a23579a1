// Opening a database: pragmas, the check of its integrity, its schema's version and the migrations up to ours.
import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { EngineError } from '../../engine/errors.ts';
import type { SqliteConfig } from './options.ts';

/** `SLCE`: marks the file as ours. */
const APPLICATION_ID = 0x534c4345;
const SQL_FOLDER = new URL('./sql/', import.meta.url);
/** 64 MiB of pages: the hot ends of all trees, at any size of the file. */
const CACHE_KIB = 65_536;
/** What the write-ahead log is cut back to after it grew under a long reader. */
const WAL_KEPT_BYTES = 67_108_864;

interface Migration {
  readonly version: number;
  readonly sql: string;
}

export function prepareDatabase(db: Database, config: SqliteConfig): void {
  db.pragma(`busy_timeout = ${config.busyTimeoutMs}`);
  const migrations = readMigrations();
  const newest = migrations.at(-1)?.version ?? 0;
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > newest) {
    throw new EngineError(
      'SCHEMA_NEWER',
      `${config.file} has schema ${version}, this program knows ${newest}: it was written by a newer version`,
    );
  }
  refuseForeign(db, config.file);
  if (version > 0 && config.integrityCheck === 'quick') checkIntegrity(db, config.file);
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${config.durability === 'full' ? 'FULL' : 'NORMAL'}`);
  db.pragma(`cache_size = -${CACHE_KIB}`);
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
  db.pragma('temp_store = MEMORY');
  db.pragma('foreign_keys = OFF');
  migrate(
    db,
    migrations.filter((migration) => migration.version > version),
  );
  capSize(db, config.maxBytes);
}

/** Rather than lay our tables beside those of another program. */
function refuseForeign(db: Database, file: string): void {
  const id = db.pragma('application_id', { simple: true });
  const isEmpty = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (id !== APPLICATION_ID && !isEmpty) {
    throw new EngineError('CORRUPT', `${file} is a database of another program`);
  }
}

function checkIntegrity(db: Database, file: string): void {
  const findings = db.pragma('quick_check(5)', { simple: false }) as { quick_check: string }[];
  const bad = findings.map((finding) => finding.quick_check).filter((text) => text !== 'ok');
  if (bad.length > 0) throw new EngineError('CORRUPT', `${file} is damaged: ${bad.join('; ')}`);
}

function readMigrations(): Migration[] {
  return readdirSync(SQL_FOLDER)
    .filter((name) => /^\d{3}-.*\.sql$/.test(name))
    .sort()
    .map((name) => ({
      version: Number(name.slice(0, 3)),
      sql: readFileSync(new URL(name, SQL_FOLDER), 'utf8'),
    }));
}

/** All or none: a crash between two files leaves the version that was there. */
function migrate(db: Database, missing: readonly Migration[]): void {
  const last = missing.at(-1);
  if (last === undefined) return;
  db.transaction(() => {
    for (const { sql } of missing) db.exec(sql);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${last.version}`);
  }).immediate();
}

function capSize(db: Database, maxBytes: number | null): void {
  if (maxBytes === null) return;
  const pageSize = db.pragma('page_size', { simple: true }) as number;
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageSize))}`);
}
