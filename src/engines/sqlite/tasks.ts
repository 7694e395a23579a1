// Reading single tasks.
import type { Store } from './store.ts';
import { readTaskRow, type TaskRow } from './task-row.ts';

export function taskById(store: Store, id: string): TaskRow | null {
  return read(store, store.sql.taskById.get(id));
}

export function taskBySeq(store: Store, seq: number): TaskRow | null {
  return read(store, store.sql.taskBySeq.get(seq));
}

function read(store: Store, row: unknown): TaskRow | null {
  return row === undefined ? null : readTaskRow(row as (number | string | null)[], store.state.queueOf);
}
