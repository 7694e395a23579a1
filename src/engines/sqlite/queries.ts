// Reads: tasks by id, pages by keyset cursor, counters.
import type { DeadQuery, Page, QueueLoad, TaskQuery } from '../../engine/records.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { type Packed, packTask } from './packing.ts';
import type { Store } from './store.ts';
import { readTaskRow, type TaskRow } from './task-row.ts';
import { bodyOf, taskById, taskBySeq } from './tasks.ts';

/** Rows looked at for one page; a rare match makes short pages, not long calls. */
const SCAN_MAX = 2_000;
const SCAN_STEP = 200;
/** Above every id. */
const TOP = '~';

export interface PackedPage {
  readonly tasks: Packed;
  readonly next: string | null;
}

/** The tasks that are there, and for each id asked for whether it is. */
export function get(store: Store, ids: readonly string[]): { tasks: Packed; found: boolean[] } {
  const tasks: Packed = [];
  const found = ids.map((id) => {
    const task = taskById(store, id);
    if (task) packTask(tasks, task, bodyOf(store, task));
    return task !== null;
  });
  return { tasks, found };
}

export function list(store: Store, query: TaskQuery): PackedPage {
  const { queue, status, type, tenant, limit } = query;
  const shape = JSON.stringify(['list', queue, status, type, tenant]);
  const below = readCursor(query.cursor, shape)?.key ?? TOP;
  const matches = (task: TaskRow) =>
    (queue === undefined || task.queue.name === queue) &&
    (status === undefined || task.status === status) &&
    (type === undefined || task.type === type) &&
    (tenant === undefined || task.tenant === tenant);
  const place = ({ id }: TaskRow) => ({ at: 0, key: id });
  return page(store, tasksBelow(store, below), { matches, limit, shape, place });
}

function* tasksBelow(store: Store, below: string): Generator<TaskRow> {
  for (let from = below; ; ) {
    const rows = store.sql.tasksBelow.all(from, SCAN_STEP) as (string | number | null)[][];
    for (const row of rows) {
      const task = readTaskRow(row, store.state.queueOf);
      from = task.id;
      yield task;
    }
    if (rows.length < SCAN_STEP) return;
  }
}

export function listDead(store: Store, query: DeadQuery): PackedPage {
  const { queue, type, reason, limit } = query;
  const shape = JSON.stringify(['dead', queue, type, reason]);
  const from = readCursor(query.cursor, shape);
  const below = from && { at: from.at, seq: Number(from.key) };
  const matches = (task: TaskRow) =>
    (type === undefined || task.type === type) && (reason === undefined || task.deadReason === reason);
  const place = ({ deadAt, seq }: TaskRow) => ({ at: deadAt ?? 0, key: String(seq) });
  return page(store, deadBelow(store, queue, below), { matches, limit, shape, place });
}

interface DeadPlace {
  readonly at: number;
  readonly seq: number;
}

function* deadBelow(store: Store, queue: string | undefined, below: DeadPlace | null): Generator<TaskRow> {
  const number = queue === undefined ? undefined : store.state.queues.get(queue)?.number;
  if (queue !== undefined && number === undefined) return;
  const { deadBelow: ofQueue, allDeadBelow } = store.sql;
  let from = below ?? { at: Number.MAX_SAFE_INTEGER, seq: 0 };
  for (;;) {
    const rows = (
      number === undefined
        ? allDeadBelow.all(from.at, from.seq, SCAN_STEP)
        : ofQueue.all(number, from.at, from.seq, SCAN_STEP)
    ) as [number, number][];
    for (const [at, seq] of rows) {
      from = { at, seq };
      const task = taskBySeq(store, seq);
      if (task) yield task;
    }
    if (rows.length < SCAN_STEP) return;
  }
}

interface Ask {
  readonly matches: (task: TaskRow) => boolean;
  readonly limit: number;
  readonly shape: string;
  readonly place: (task: TaskRow) => { readonly at: number; readonly key: string };
}

function page(store: Store, rows: Iterable<TaskRow>, { matches, limit, shape, place }: Ask): PackedPage {
  const tasks: Packed = [];
  let found = 0;
  let scanned = 0;
  let last: TaskRow | null = null;
  for (const row of rows) {
    if (last && (found === limit || scanned === SCAN_MAX)) {
      return { tasks, next: writeCursor(place(last), shape) };
    }
    scanned += 1;
    last = row;
    if (!matches(row)) continue;
    found += 1;
    packTask(tasks, row, bodyOf(store, row));
  }
  return { tasks, next: null };
}

export function load(store: Store, names: readonly string[]): (QueueLoad | null)[] {
  return names.map((name) => store.state.queues.get(name)?.load() ?? null);
}

export function queues(
  store: Store,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Page<string> {
  const after = readCursor(cursor, 'queues')?.key;
  const names = [...store.state.queues.keys()].filter((name) => after === undefined || name > after).sort();
  const items = names.slice(0, limit);
  const last = items.at(-1);
  const more = names.length > limit && last !== undefined;
  return { items, next: more ? writeCursor({ at: 0, key: last }, 'queues') : null };
}
