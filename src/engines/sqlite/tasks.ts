// Reading single tasks.
import type { Store } from './store.ts';
import { readTaskRow, type TaskRow } from './task-row.ts';

export function taskById(store: Store, id: string): TaskRow | null {
  return store.leased.get(id) ?? read(store, store.sql.taskById.get(id));
}

export function taskBySeq(store: Store, seq: number): TaskRow | null {
  return read(store, store.sql.taskBySeq.get(seq));
}

/** BODY_COLUMNS and the result. */
export function bodyOf(store: Store, { seq }: TaskRow): (string | number | null)[] {
  return (store.sql.bodyBySeq.get(seq) ?? []) as (string | number | null)[];
}

function read(store: Store, row: unknown): TaskRow | null {
  if (row === undefined) return null;
  const task = readTaskRow(row as (number | string | null)[], store.state.queueOf);
  return store.leased.get(task.id) ?? task;
}
