// An ordered list (list, at, seq) of the database, with the first time of each list kept in memory, so that
// "when does the next one come due?" costs nothing. Memory: O(queues).
import type { Database, Statement } from 'better-sqlite3';
import type { Instant } from '../../core/task.ts';

export type TimeTable = 'schedule' | 'expiring' | 'lease_ends' | 'finished' | 'result_ends' | 'dead';

export interface Timed {
  readonly at: Instant;
  readonly seq: number;
}

export class TimeList {
  readonly #insert: Statement;
  readonly #delete: Statement;
  readonly #first: Statement;
  readonly #upTo: Statement;
  /** null: the list is empty. Absent: not known, ask the table. */
  readonly #firsts = new Map<number, Instant | null>();

  constructor(db: Database, table: TimeTable) {
    this.#insert = db.prepare(`INSERT INTO ${table} (list, at, seq) VALUES (?, ?, ?)`);
    this.#delete = db.prepare(`DELETE FROM ${table} WHERE list = ? AND at = ? AND seq = ?`);
    this.#first = db.prepare(`SELECT at FROM ${table} WHERE list = ? ORDER BY at, seq LIMIT 1`).pluck();
    this.#upTo = db
      .prepare(`SELECT at, seq FROM ${table} WHERE list = ? AND at <= ? ORDER BY at, seq LIMIT ?`)
      .raw();
  }

  add(list: number, at: Instant, seq: number): void {
    this.#insert.run(list, at, seq);
    const first = this.#firsts.get(list);
    if (first === null || (first !== undefined && at < first)) this.#firsts.set(list, at);
  }

  remove(list: number, at: Instant, seq: number): void {
    this.#delete.run(list, at, seq);
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

/** Later than any instant. */
export const FOREVER: Instant = Number.MAX_SAFE_INTEGER;
