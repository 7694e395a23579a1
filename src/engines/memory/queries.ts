// Reads: tasks by id, pages by keyset cursor, counters.
import type { Task } from '../../core/task.ts';
import { EngineError } from '../../engine/errors.ts';
import type { AuditEntry, DeadQuery, Page, QueueLoad, TaskQuery } from '../../engine/records.ts';
import type { Entry, State } from './state.ts';

/** Entries looked at for one page; a rare match makes short pages, not long calls. */
const SCAN_MAX = 10_000;

export function get(state: State, ids: readonly string[]): (Task | null)[] {
  return ids.map((id) => state.tasks.get(id)?.task ?? null);
}

export function list(state: State, query: TaskQuery): Page<Task> {
  const { queue, status, type, tenant, limit } = query;
  const shape = JSON.stringify(['list', queue, status, type, tenant]);
  const id = readCursor(query.cursor, shape)?.id ?? null;
  // A probe that stands where the cursor points; only what the order compares matters.
  const below = id === null ? null : ({ task: { id } } as Entry);
  const matches = ({ task }: Entry) =>
    (queue === undefined || task.queue === queue) &&
    (status === undefined || task.status === status) &&
    (type === undefined || task.type === type) &&
    (tenant === undefined || task.tenant === tenant);
  return page(state.byId.descending(below), { matches, limit, shape });
}

export function listDead(state: State, query: DeadQuery): Page<Task> {
  const { queue, type, reason, limit } = query;
  const shape = JSON.stringify(['dead', queue, type, reason]);
  const from = readCursor(query.cursor, shape);
  const below = from && ({ task: { id: from.id, deadLetter: { at: from.at } } } as Entry);
  const dead = queue === undefined ? state.dlq : state.queues.get(queue)?.dlq;
  const matches = ({ task }: Entry) =>
    (type === undefined || task.type === type) &&
    (reason === undefined || task.deadLetter?.reason === reason);
  return page(dead?.descending(below) ?? [], { matches, limit, shape });
}

function page(
  entries: Iterable<Entry>,
  ask: { readonly matches: (entry: Entry) => boolean; readonly limit: number; readonly shape: string },
): Page<Task> {
  const items: Task[] = [];
  let scanned = 0;
  let last: Task | null = null;
  for (const entry of entries) {
    if (last && (items.length === ask.limit || scanned === SCAN_MAX)) {
      return { items, next: writeCursor(last, ask.shape) };
    }
    scanned += 1;
    last = entry.task;
    if (ask.matches(entry)) items.push(entry.task);
  }
  return { items, next: null };
}

function writeCursor({ id, deadLetter }: Task, shape: string): string {
  return JSON.stringify([id, deadLetter?.at ?? 0, shape]);
}

function readCursor(cursor: string | null, shape: string): { id: string; at: number } | null {
  if (cursor === null) return null;
  const [id, at, of] = parts(cursor);
  if (typeof id !== 'string' || typeof at !== 'number' || of !== shape) throw invalidCursor();
  return { id, at };
}

function parts(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(cursor);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function invalidCursor(): EngineError {
  return new EngineError('INVALID_CURSOR', 'the cursor is not one of this listing');
}

export function load(state: State, names: readonly string[]): (QueueLoad | null)[] {
  return names.map((name) => {
    const queue = state.queues.get(name);
    if (queue === undefined) return null;
    const { counts, totals, byPriority, lines, dlq } = queue;
    return {
      queue: name,
      number: queue.number,
      totals: { ...totals },
      queued: counts.queued,
      running: counts.running,
      scheduled: counts.scheduled,
      retrying: counts.retrying,
      deadLettered: dlq.size,
      dlqDropped: queue.dlqDropped,
      bytes: queue.bytes,
      byPriority: [...byPriority],
      oldestAvailableAt: lines.order.oldestAt(),
      epoch: queue.epoch,
      paused: queue.paused,
      settings: queue.settings,
      overrides: queue.overrides,
      settingsVersion: queue.settingsVersion,
    };
  });
}

export function queues(
  state: State,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Page<string> {
  const after = readCursor(cursor, 'queues')?.id ?? null;
  const names = [...state.queues.keys()].filter((name) => after === null || name > after).sort();
  const items = names.slice(0, limit);
  const last = items.at(-1);
  const more = names.length > limit && last !== undefined;
  return { items, next: more ? JSON.stringify([last, 0, 'queues']) : null };
}

export function appendAudit(state: State, entries: readonly AuditEntry[]): void {
  for (const entry of entries) {
    state.auditCount += 1;
    state.audit.push({ number: state.auditCount, entry });
  }
}

export function listAudit(
  state: State,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Page<AuditEntry> {
  const from = readCursor(cursor, 'audit')?.at ?? Number.POSITIVE_INFINITY;
  // The numbers have no gaps, so the newest row below the cursor is found by arithmetic.
  const first = state.audit[0]?.number ?? 0;
  const end = Math.min(state.audit.length, from - first);
  const rows = state.audit.slice(Math.max(0, end - limit), Math.max(0, end)).reverse();
  const last = rows.at(-1);
  const more = last !== undefined && last.number > first;
  return {
    items: rows.map(({ entry }) => entry),
    next: more ? JSON.stringify(['', last.number, 'audit']) : null,
  };
}
