// The one way a task changes status: `leave` takes it out of the lists and counters of the old one, `enter` puts it into
// those of the new one and writes the row. Reserve and submit alone have their own, for their batches.
import type { FinalStatus, Instant } from '../../core/task.ts';
import { tell, tellStatus } from './outbox.ts';
import { readRest } from './packing.ts';
import { isWaiting, type QueueState, type WaitingStatus } from './queue-state.ts';
import type { Store } from './store.ts';
import { type LeaseRow, STATUS_NUMBERS, type TaskRow, updateParams } from './task-row.ts';
import { taskBySeq } from './tasks.ts';

export type Waiting = TaskRow & { readonly status: WaitingStatus };

export function leave(store: Store, task: TaskRow): void {
  store.state.changed.add(task.queue);
  if (task.status === 'running') leaveRunning(store, task);
  else if (isWaiting(task.status)) leaveWaiting(store, task as Waiting);
  else leaveFinal(store, task);
}

/** Back among the waiting, or into the first of its lists. Writes the row. */
export function enterWaiting(store: Store, task: Waiting, end: 'head' | 'tail'): void {
  const { queue } = task;
  placeWaiting(store, task, end);
  store.sql.updateTask.run(...updateParams(task));
  store.state.changed.add(queue);
}

/** Counters and lists of a task that begins to wait; sets its epoch and place, which the caller writes. */
function placeWaiting(store: Store, task: Waiting, end: 'head' | 'tail'): void {
  const { queue, seq, expiresAt, availableAt } = task;
  queue.countWaiting(task, 1);
  task.epoch = queue.epoch;
  if (expiresAt !== null) store.expiring.add(queue.waitingList, expiresAt, seq);
  if (task.status === 'queued') {
    const { line, pos } = queue.lines.join(task, { end, availableAt }, store.state.newLine);
    task.line = line.id;
    task.pos = pos;
    store.sql.insertReady.run(line.id, pos, seq, availableAt, expiresAt, task.deliveries);
    store.woken.add(queue.name);
  } else {
    task.line = null;
    task.pos = null;
    store.schedule.add(queue.waitingList, availableAt, seq);
  }
}

function leaveWaiting(store: Store, task: Waiting): void {
  const { queue, seq, expiresAt } = task;
  queue.countWaiting(task, -1);
  if (expiresAt !== null) store.expiring.remove(queue.waitingList, expiresAt, seq);
  if (task.status !== 'queued') {
    store.schedule.remove(queue.waitingList, task.availableAt, seq);
    return;
  }
  store.sql.deleteReady.run(task.line, task.pos);
  const line = queue.lines.line(task);
  if (line === undefined) return;
  if (line.head !== task.pos) queue.lines.middleLeft(line);
  else {
    const [pos, , availableAt] = (store.sql.readyHead.get(line.id, 1) ?? []) as number[];
    const next = pos === undefined || availableAt === undefined ? null : { pos, availableAt };
    queue.lines.headLeft(line, next);
  }
}

function leaveRunning(store: Store, task: TaskRow): void {
  const { queue, seq, lease } = task;
  queue.countRunning(task, -1);
  if (lease === null) return;
  store.sql.deleteLease.run(seq);
  store.leaseEnds.remove(queue.number, lease.until, seq);
  endRequestLease(store, lease);
  store.leased.remove(task);
  task.lease = null;
}

/** A request is remembered while one of its leases lives. */
export function endRequestLease({ endedLeases }: Store, { request }: LeaseRow): void {
  if (request !== null) endedLeases.set(request, (endedLeases.get(request) ?? 0) + 1);
}

/** Called at the end of each call that may have ended leases: a batch mostly ends those of one request. */
export function writeEndedLeases({ sql, endedLeases }: Store): void {
  for (const [request, ended] of endedLeases) {
    const [live] = (sql.endRequestLeases.get(ended, request) ?? []) as number[];
    if (live === 0) sql.deleteRequest.run(request);
  }
  endedLeases.clear();
}

function leaveFinal(store: Store, task: TaskRow): void {
  const { queue, seq } = task;
  if (task.inDlq) {
    store.dead.remove(queue.number, task.deadAt ?? 0, seq);
    queue.counts.dead -= 1;
  } else if (task.retainFrom !== null) store.finished.remove(queue.number, task.retainFrom, seq);
  task.retainFrom = null;
  if (task.key !== null) store.sql.stopLapse.run(task.key, task.key);
}

/** A task's end: writes the row, tells it, and keeps the DLQ within its bound. */
export function finish(
  store: Store,
  task: TaskRow,
  status: FinalStatus,
  about: { readonly at: Instant; readonly workerId: string | null; readonly result?: string | null },
): void {
  const { queue, seq } = task;
  const { at, workerId, result = null } = about;
  task.status = status;
  task.finishedAt = at;
  task.unknownSince = null;
  queue.counts[status] += 1;
  task.line = null;
  task.pos = null;
  if (task.inDlq) {
    store.dead.add(queue.number, at, seq);
    queue.counts.dead += 1;
  } else {
    task.retainFrom = at;
    store.finished.add(queue.number, at, seq);
  }
  if (result !== null) {
    store.sql.insertResult.run(seq, result);
    store.resultEnds.add(queue.number, at, seq);
  }
  if (task.key !== null) store.sql.startLapse.run(task.key);
  writeEnd(store, task);
  store.state.changed.add(queue);
  tellStatus(store, task, { at, workerId });
  if (task.inDlq) boundDlq(store, queue, at);
}

/** A plain success changes few columns; to bind all of them would cost as much as to write the row. */
function writeEnd({ sql }: Store, task: TaskRow): void {
  if (task.status !== 'succeeded') sql.updateTask.run(...updateParams(task));
  else {
    const { deliveries, token, startedAt, finishedAt, retainFrom, progress, history, seq } = task;
    sql.succeedTask.run(deliveries, token, startedAt, finishedAt, retainFrom, progress, history, seq);
  }
}

/** Out of the DLQ, but still a record: its retention starts now. */
export function leaveDlq(store: Store, task: TaskRow, at: Instant): void {
  const { queue, seq } = task;
  store.dead.remove(queue.number, task.deadAt ?? 0, seq);
  queue.counts.dead -= 1;
  task.inDlq = false;
  task.retainFrom = at;
  store.finished.add(queue.number, at, seq);
  store.sql.updateTask.run(...updateParams(task));
  store.state.changed.add(queue);
}

/** Drops the oldest letters over `dlq_max`, counted and told. Returns how many. */
export function boundDlq(store: Store, queue: QueueState, at: Instant): number {
  const over = queue.counts.dead - queue.settings.dlqMax;
  if (over <= 0) return 0;
  for (const [, seq] of store.sql.oldestDead.all(queue.number, over) as number[][]) {
    const letter = seq === undefined ? null : taskBySeq(store, seq);
    if (letter === null) continue;
    leaveDlq(store, letter, at);
    queue.counts.dlqDropped += 1;
    tell(store, 'DLQ_DROPPED', letter, { at, details: { reason: 'overflow' } });
  }
  return over;
}

/** The record goes; a key that is still held keeps its last status. Returns the path of its input file, if it had one. */
export function forget(store: Store, task: TaskRow): string | null {
  const { seq, key } = task;
  leaveFinal(store, task);
  if (key !== null) {
    store.sql.keyLosesRecord.run(STATUS_NUMBERS[task.status], key);
    store.sql.startLapse.run(key);
  }
  if (store.sql.deleteResult.run(seq).changes > 0) {
    store.resultEnds.remove(task.queue.number, task.finishedAt ?? 0, seq);
  }
  store.sql.deleteTask.run(seq);
  const [rest] = (store.sql.deleteBody.get(seq) ?? [null]) as (string | null)[];
  return rest === null || rest === undefined ? null : (readRest(rest)[1]?.path ?? null);
}
