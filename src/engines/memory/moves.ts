// The one way a task changes status: out of the indexes and counters of the old one, into those of the new.
// Whoever changes a task calls `move`, so that the counters cannot drift from the tasks.
import { type Instant, isFinal, type Task } from '../../core/task.ts';
import { tell, tellStatus } from './events.ts';
import type { Entry, QueueState, State } from './state.ts';

export function move(state: State, entry: Entry, next: Task, end: 'head' | 'tail' = 'tail'): void {
  leave(state, entry);
  entry.task = next;
  enter(state, entry, end);
}

/** A task's end: the move, its event, and a bounded DLQ. */
export function finish(
  state: State,
  entry: Entry,
  end: { readonly task: Task; readonly at: Instant; readonly workerId: string | null },
): void {
  move(state, entry, end.task);
  tellStatus(state, end.task, end.at, end.workerId);
  if (end.task.inDlq) boundDlq(state, entry.queue, end.at);
}

/** First entry of a new task. */
export function enter(state: State, entry: Entry, end: 'head' | 'tail'): void {
  const { task, queue } = entry;
  queue.counts[task.status] += 1;
  if (isFinal(task.status)) {
    enterFinal(state, entry);
    return;
  }
  queue.bytes += task.bytes;
  if (task.status !== 'running' && task.expiresAt !== null) state.expiring.add(entry);
  switch (task.status) {
    case 'queued':
      queue.byPriority[task.priority] = (queue.byPriority[task.priority] ?? 0) + 1;
      countTenant(queue, task.tenant, 1, 0);
      queue.lines.join(entry, end);
      state.woken.add(queue.name);
      return;
    case 'running':
      countTenant(queue, task.tenant, 1, 1);
      queue.leases.add(entry);
      state.leases.add(entry);
      return;
    default:
      queue.due.add(entry);
      state.due.add(entry);
  }
}

function leave(state: State, entry: Entry): void {
  const { task, queue } = entry;
  queue.counts[task.status] -= 1;
  if (isFinal(task.status)) {
    leaveFinal(state, entry);
    return;
  }
  queue.bytes -= task.bytes;
  state.expiring.remove(entry);
  switch (task.status) {
    case 'queued':
      queue.byPriority[task.priority] = (queue.byPriority[task.priority] ?? 0) - 1;
      countTenant(queue, task.tenant, -1, 0);
      queue.lines.leave(entry);
      return;
    case 'running':
      countTenant(queue, task.tenant, -1, -1);
      queue.lines.order.unblock(task.tenant);
      queue.leases.remove(entry);
      state.leases.remove(entry);
      return;
    default:
      queue.due.remove(entry);
      state.due.remove(entry);
  }
}

function enterFinal(state: State, entry: Entry): void {
  const { task, queue, key } = entry;
  if (isFinal(task.status)) queue.totals[task.status] += 1;
  if (task.inDlq) {
    queue.dlq.add(entry);
    state.dlq.add(entry);
  } else {
    entry.retainFrom = task.finishedAt ?? 0;
    queue.finished.add(entry);
  }
  if (task.result !== null) queue.results.add(entry);
  if (key) state.lapsing.add(key);
}

function leaveFinal(state: State, entry: Entry): void {
  const { queue, key } = entry;
  queue.dlq.remove(entry);
  state.dlq.remove(entry);
  queue.finished.remove(entry);
  queue.results.remove(entry);
  if (key) state.lapsing.remove(key);
}

/** The record goes; a key that is still held keeps its last status. */
export function forget(state: State, entry: Entry): void {
  const { key } = entry;
  leave(state, entry);
  state.tasks.delete(entry.task.id);
  state.byId.remove(entry);
  if (key) {
    key.entry = null;
    key.lastStatus = entry.task.status;
    state.lapsing.add(key);
  }
}

/** Out of the DLQ, but still a record: its retention starts now. */
export function leaveDlq(state: State, entry: Entry, at: Instant): void {
  const { queue } = entry;
  queue.dlq.remove(entry);
  state.dlq.remove(entry);
  entry.task = { ...entry.task, inDlq: false };
  entry.retainFrom = at;
  queue.finished.add(entry);
}

/** Drops the oldest letters over `dlq_max`, counted and told. Returns how many. */
export function boundDlq(state: State, queue: QueueState, at: Instant): number {
  let dropped = 0;
  while (queue.dlq.size > queue.settings.dlqMax) {
    const oldest = queue.dlq.first();
    if (oldest === undefined) break;
    leaveDlq(state, oldest, at);
    queue.dlqDropped += 1;
    dropped += 1;
    tell(state, 'DLQ_DROPPED', oldest.task, { at, details: { reason: 'overflow' } });
  }
  return dropped;
}

function countTenant(queue: QueueState, tenant: string, depth: number, running: number): void {
  const counts = queue.tenants.get(tenant) ?? { depth: 0, running: 0 };
  counts.depth += depth;
  counts.running += running;
  if (counts.depth === 0) queue.tenants.delete(tenant);
  else queue.tenants.set(tenant, counts);
}
