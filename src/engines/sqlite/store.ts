// What the store's functions work on: the database, its statements, the queues in memory, and what the running
// transaction will tell once it is committed.
import type { Database, Statement } from 'better-sqlite3';
import type { TaskEvent } from '../../engine/records.ts';
import { LeasedRows } from './leased-rows.ts';
import type { SqliteConfig } from './options.ts';
import { State } from './state.ts';
import { SQL, type SqlName } from './statements.ts';
import { TimeList } from './time-list.ts';

export interface Store {
  readonly db: Database;
  readonly config: SqliteConfig;
  readonly sql: Readonly<Record<SqlName, Statement>>;
  readonly state: State;
  readonly schedule: TimeList;
  readonly expiring: TimeList;
  readonly leaseEnds: TimeList;
  readonly finished: TimeList;
  readonly resultEnds: TimeList;
  readonly dead: TimeList;
  readonly leased: LeasedRows;
  /** How many leases of a request have ended in this call; written once per call. */
  readonly endedLeases: Map<number, number>;
  /** False: nobody listens, and no event is made. */
  wantsEvents: boolean;
  events: TaskEvent[];
  /** Queues that may have got work. */
  readonly woken: Set<string>;
}

export type Statements = Readonly<Record<SqlName, string>>;

/** @param statements the SQL to run; tests plant bugs here */
export function makeStore(db: Database, config: SqliteConfig, statements: Statements = SQL): Store {
  const sql = Object.fromEntries(
    Object.entries(statements).map(([name, text]) => [name, prepare(db, text)]),
  ) as Record<SqlName, Statement>;
  const state = new State(db, config.defaults);
  state.load();
  return {
    db,
    config,
    sql,
    state,
    schedule: new TimeList(db, 'schedule'),
    expiring: new TimeList(db, 'expiring'),
    leaseEnds: new TimeList(db, 'leaseEnds'),
    finished: new TimeList(db, 'finished'),
    resultEnds: new TimeList(db, 'resultEnds'),
    dead: new TimeList(db, 'dead'),
    // A planted statement must not hide behind a row kept in memory.
    leased: statements === SQL ? new LeasedRows() : new LeasedRows(0),
    endedLeases: new Map(),
    wantsEvents: false,
    events: [],
    woken: new Set(),
  };
}

/** Memory is ahead of the file: read it again. */
export function reload(store: Store): void {
  store.state.load();
  for (const list of [
    store.schedule,
    store.expiring,
    store.leaseEnds,
    store.finished,
    store.resultEnds,
    store.dead,
  ]) {
    list.forget();
  }
  store.leased.clear();
  store.endedLeases.clear();
  store.events = [];
  store.woken.clear();
}

/** Rows come as arrays: reading them by place is twice as fast as by name. */
function prepare(db: Database, text: string): Statement {
  const statement = db.prepare(text);
  return statement.reader ? statement.raw() : statement;
}
