// The store without its thread: for tests that look into it, count it, or run a subclass with a planted bug.
import type { Database } from 'better-sqlite3';
import type { Channel } from './channel.ts';
import { type GroupReply, type Request, runGroup } from './group.ts';
import { type OpenDatabase, openDatabase } from './open-store.ts';
import type { SqliteConfig } from './options.ts';
import { SqliteStore } from './sqlite-store.ts';

type MakeStore = (db: Database, config: SqliteConfig) => SqliteStore;

export class LocalChannel implements Channel {
  readonly #config: SqliteConfig;
  readonly #make: MakeStore;
  #open: (OpenDatabase & { readonly store: SqliteStore }) | null = null;

  constructor(config: SqliteConfig, make: MakeStore = (db, ofStore) => new SqliteStore(db, ofStore)) {
    this.#config = config;
    this.#make = make;
  }

  get isOpen(): boolean {
    return this.#open !== null;
  }

  /** The open database, to look into. */
  get db(): Database {
    if (this.#open === null) throw new Error('not open');
    return this.#open.db;
  }

  async open(): Promise<void> {
    const open = await openDatabase(this.#config);
    this.#open = { ...open, store: this.#make(open.db, this.#config) };
  }

  async send(group: readonly Request[]): Promise<GroupReply> {
    if (this.#open === null) throw new Error('not open');
    return runGroup(this.#open.store, group);
  }

  async close(): Promise<void> {
    this.#open?.close();
    this.#open = null;
  }
}
