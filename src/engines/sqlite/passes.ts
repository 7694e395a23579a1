// The bounded passes of maintenance: promote what is due, expire what is too late, prune what is old.
import { expiryDecision } from '../../core/lifecycle.ts';
import type { Instant } from '../../core/task.ts';
import type { Call, PassReply, PruneReply } from '../../engine/messages.ts';
import { endWaiting, type FinalDecision } from './endings.ts';
import { firstOverall, upToOverall } from './merge.ts';
import { boundDlq, enterWaiting, forget, leave, leaveDlq, type Waiting } from './moves.ts';
import { tellStatus } from './outbox.ts';
import type { QueueState } from './queue-state.ts';
import { firstForgetting, forgetWorkers, trimAudit } from './registry.ts';
import type { Store } from './store.ts';
import { dropKey } from './submit.ts';
import { sweepPurged } from './sweep.ts';
import { taskBySeq } from './tasks.ts';
import type { TimeList } from './time-list.ts';

const waitingList = ({ waitingList: list }: QueueState) => list;

export function promote(store: Store, limit: number, { at }: Call): PassReply {
  const due = upToOverall(store, store.schedule, { listOf: waitingList, at, limit });
  for (const { seq } of due) {
    const task = taskBySeq(store, seq);
    if (task === null) continue;
    leave(store, task);
    task.status = 'queued';
    enterWaiting(store, task as Waiting, 'tail');
    tellStatus(store, task, { at });
  }
  return { done: due.length, nextAt: firstOverall(store, store.schedule, waitingList) };
}

export function expire(store: Store, limit: number, { at }: Call): PassReply {
  const late = upToOverall(store, store.expiring, { listOf: waitingList, at, limit });
  for (const { seq } of late) {
    const task = taskBySeq(store, seq);
    if (task === null) continue;
    const decision = expiryDecision(task.queue.policy, null) as FinalDecision;
    endWaiting(store, task, decision, at);
  }
  return { done: late.length, nextAt: firstOverall(store, store.expiring, waitingList) };
}

/** Sweeping a purge is not counted in `done`: its tasks ended when it was made. While some are left, `nextAt` is now. */
export function prune(store: Store, limit: number, { at }: Call): PruneReply {
  const swept = sweepPurged(store, limit);
  const files: string[] = [];
  let done = 0;
  for (const queue of store.state.byNumber) {
    done += pruneQueue(store, queue, { limit: limit - done, at, files });
  }
  done += dropLapsedKeys(store, limit - done, at);
  done += forgetWorkers(store, limit - done, at);
  done += trimAudit(store, limit - done);
  const nextAt = swept === 'all' ? nextPrune(store) : at;
  return { done, nextAt, ...(files.length > 0 && { files }) };
}

interface Bound {
  readonly limit: number;
  readonly at: Instant;
  /** Takes the files of the records that go. */
  readonly files: string[];
}

function pruneQueue(store: Store, queue: QueueState, { limit, at, files }: Bound): number {
  let done = boundDlq(store, queue, at);
  const ended = (list: TimeList, keptS: number) =>
    done >= limit ? [] : list.upTo(queue.number, at - keptS * 1000, limit - done);
  for (const { seq } of ended(store.dead, queue.settings.dlqRetentionS)) {
    const letter = taskBySeq(store, seq);
    if (letter) leaveDlq(store, letter, at);
    done += 1;
  }
  for (const result of ended(store.resultEnds, queue.settings.resultRetentionS)) {
    store.sql.deleteResult.run(result.seq);
    store.resultEnds.remove(queue.number, result.at, result.seq);
    done += 1;
  }
  for (const { seq } of ended(store.finished, queue.settings.taskRetentionS)) {
    const task = taskBySeq(store, seq);
    const file = task && forget(store, task);
    if (file) files.push(file);
    done += 1;
  }
  return done;
}

function dropLapsedKeys(store: Store, limit: number, at: Instant): number {
  if (limit <= 0) return 0;
  const keys = store.sql.lapsed.all(at, limit) as [number][];
  for (const [key] of keys) dropKey(store, key);
  return keys.length;
}

function nextPrune(store: Store): Instant | null {
  const times: number[] = [];
  for (const { number, settings } of store.state.byNumber) {
    const [letter, result, record] = [store.dead, store.resultEnds, store.finished].map((list) =>
      list.first(number),
    );
    if (typeof letter === 'number') times.push(letter + settings.dlqRetentionS * 1000);
    if (typeof result === 'number') times.push(result + settings.resultRetentionS * 1000);
    if (typeof record === 'number') times.push(record + settings.taskRetentionS * 1000);
  }
  const [lapse] = (store.sql.firstLapse.get() ?? []) as number[];
  if (lapse !== undefined) times.push(lapse);
  const forgetting = firstForgetting(store);
  if (forgetting !== null) times.push(forgetting);
  // Not Math.min(...times): there may be three times for each of 65,536 queues.
  return times.length === 0 ? null : times.reduce((first, time) => Math.min(first, time));
}
