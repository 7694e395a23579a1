// An ordered list of the database: rows by (list, time, seq), with the first time of each list kept in memory, so that
// "when does the next one come due?" costs nothing. Memory: O(queues).
//
// The two that every task passes through are indexes of the rows they list, kept by the row's own write: that saves two
// statements a task (docs/decisions/0007). The rarer ones are tables of their own, so that no write to a task looks at them.
import type { Database, Statement } from 'better-sqlite3';
import type { Instant } from '../../core/task.ts';

interface Source {
  readonly rows: string;
  readonly list: string;
  readonly time: string;
  /** Which rows of the table are in the list: the index's own condition. */
  readonly where: string;
  /** A table that the list writes itself. */
  readonly owned: boolean;
}

const table = (rows: string): Source => ({ rows, list: 'list', time: 'at', where: 'true', owned: true });

export const TIME_LISTS = {
  schedule: table('schedule'),
  expiring: table('expiring'),
  resultEnds: table('result_ends'),
  dead: table('dead'),
  leaseEnds: { rows: 'leases', list: 'queue', time: 'until', where: 'true', owned: false },
  finished: {
    rows: 'tasks',
    list: 'queue',
    time: 'retain_from',
    where: 'retain_from IS NOT NULL',
    owned: false,
  },
} as const satisfies Record<string, Source>;

export interface Timed {
  readonly at: Instant;
  readonly seq: number;
}

export class TimeList {
  readonly #insert: Statement | null = null;
  readonly #delete: Statement | null = null;
  readonly #first: Statement;
  readonly #upTo: Statement;
  /** null: the list is empty. Absent: not known, ask the table. */
  readonly #firsts = new Map<number, Instant | null>();

  constructor(db: Database, name: keyof typeof TIME_LISTS) {
    const source: Source = TIME_LISTS[name];
    const sql = selectsOf(source);
    this.#first = db.prepare(sql.first).pluck();
    this.#upTo = db.prepare(sql.upTo).raw();
    if (!source.owned) return;
    this.#insert = db.prepare(`INSERT INTO ${source.rows} (list, at, seq) VALUES (?, ?, ?)`);
    this.#delete = db.prepare(`DELETE FROM ${source.rows} WHERE list = ? AND at = ? AND seq = ?`);
  }

  /** For an index: its row is written by the caller, before anybody asks. */
  add(list: number, at: Instant, seq: number): void {
    this.#insert?.run(list, at, seq);
    const first = this.#firsts.get(list);
    if (first === null || (first !== undefined && at < first)) this.#firsts.set(list, at);
  }

  remove(list: number, at: Instant, seq: number): void {
    this.#delete?.run(list, at, seq);
    // Another one may have the same time: ask again when somebody wants to know.
    if (this.#firsts.get(list) === at) this.#firsts.delete(list);
  }

  first(list: number): Instant | null {
    const known = this.#firsts.get(list);
    if (known !== undefined) return known;
    const first = (this.#first.get(list) as Instant | undefined) ?? null;
    this.#firsts.set(list, first);
    return first;
  }

  /** The first entries of a list that are not after `at`, in order. */
  upTo(list: number, at: Instant, limit: number): Timed[] {
    const first = this.first(list);
    if (first === null || first > at) return [];
    const rows = this.#upTo.all(list, at, limit) as [Instant, number][];
    return rows.map(([time, seq]) => ({ at: time, seq }));
  }

  /** After a rollback, or a purge of the list: nothing is known any more. */
  forget(list?: number): void {
    if (list === undefined) this.#firsts.clear();
    else this.#firsts.delete(list);
  }
}

/** Both must be answered by walking an index, at any length of the list. */
export function selectsOf({ rows, list, time, where }: Source): {
  readonly first: string;
  readonly upTo: string;
} {
  const inList = `FROM ${rows} WHERE ${list} = ? AND ${where}`;
  return {
    first: `SELECT ${time} ${inList} ORDER BY ${time}, seq LIMIT 1`,
    upTo: `SELECT ${time}, seq ${inList} AND ${time} <= ? ORDER BY ${time}, seq LIMIT ?`,
  };
}

/** Later than any instant. */
export const FOREVER: Instant = Number.MAX_SAFE_INTEGER;
