// After a purge: its tasks ended at once for every reader; here their rows are made to say so, a bounded number a pass.
// What is left of an epoch are its lines, schedule and expiring list, all found by the epoch.
import type { Instant } from '../../core/task.ts';
import { type QueueState, waitingListOf } from './queue-state.ts';
import type { Store } from './store.ts';
import { updateParams } from './task-row.ts';
import { taskBySeq } from './tasks.ts';
import { FOREVER } from './time-list.ts';

/** Returns `all` where no purged task is left unswept. */
export function sweepPurged(store: Store, limit: number): 'all' | 'some' {
  let left = limit;
  for (const queue of store.state.byNumber) {
    for (const [epoch, at] of queue.purges) {
      left -= sweepEpoch(store, queue, { epoch, at, limit: left });
      if (left <= 0) return 'some';
      queue.purges.delete(epoch);
      const list = waitingListOf(queue.number, epoch);
      store.schedule.forget(list);
      store.expiring.forget(list);
      store.sql.deletePurge.run(queue.number, epoch);
      store.state.changed.add(queue);
    }
  }
  return 'all';
}

interface Ended {
  readonly epoch: number;
  readonly at: Instant;
  readonly limit: number;
}

/** Fewer than `limit`: nothing of this epoch is left. */
function sweepEpoch(store: Store, queue: QueueState, ended: Ended): number {
  let swept = sweepLines(store, queue, ended);
  const list = waitingListOf(queue.number, ended.epoch);
  for (const entry of store.schedule.upTo(list, FOREVER, ended.limit - swept)) {
    store.schedule.remove(list, entry.at, entry.seq);
    sweepTask(store, queue, entry.seq);
    swept += 1;
  }
  return swept;
}

function sweepLines(store: Store, queue: QueueState, { epoch, limit }: Ended): number {
  let swept = 0;
  while (swept < limit) {
    const [line] = (store.sql.purgedLine.get(queue.number, epoch) ?? []) as number[];
    if (line === undefined) return swept;
    const rows = store.sql.readyHead.all(line, limit - swept) as number[][];
    for (const [, seq] of rows) if (seq !== undefined) sweepTask(store, queue, seq);
    const last = rows.at(-1)?.[0];
    if (last !== undefined) store.sql.deleteReadyUpTo.run(line, last);
    if (rows.length < limit - swept) store.sql.deleteLine.run(line);
    swept += rows.length;
  }
  return swept;
}

function sweepTask(store: Store, queue: QueueState, seq: number): void {
  const task = taskBySeq(store, seq);
  if (task === null || !task.unswept) return;
  if (task.expiresAt !== null) {
    store.expiring.remove(waitingListOf(queue.number, task.epoch), task.expiresAt, seq);
  }
  task.line = null;
  task.pos = null;
  task.retainFrom = task.finishedAt ?? 0;
  store.finished.add(queue.number, task.retainFrom, seq);
  if (task.key !== null) store.sql.startLapse.run(task.key);
  store.sql.updateTask.run(...updateParams(task));
}
