// Extend, settle and reap: everything that is fenced by a lease token.
import type { Decision } from '../../core/decision.ts';
import type { Instant } from '../../core/task.ts';
import type { Call, Extend, ExtendResult, Settlement, SettleResult } from '../../engine/messages.ts';
import { end, endCancelled } from './endings.ts';
import { addAttempt, wasSettledBy } from './history.ts';
import { firstOverall, upToOverall } from './merge.ts';
import { endRequestLease, enterWaiting, leave, type Waiting, writeEndedLeases } from './moves.ts';
import { tell, tellStatus } from './outbox.ts';
import { noLeases, type PackedReap, packLease, packTask } from './packing.ts';
import type { Store } from './store.ts';
import { attemptOf, type LeaseRow, type TaskRow } from './task-row.ts';
import { bodyOf, taskById, taskBySeq } from './tasks.ts';

export function extend(store: Store, batch: readonly Extend[], { at }: Call): ExtendResult[] {
  return batch.map(({ id, token, leaseMs, progress }) => {
    const task = taskById(store, id);
    const lease = task && leaseUnder(task, token);
    if (!task || !lease) return 'lease_lost';
    const { queue, seq } = task;
    const until = at + leaseMs;
    if (progress) task.progress = JSON.stringify(progress);
    store.leaseEnds.remove(queue.number, lease.until, seq);
    store.leaseEnds.add(queue.number, until, seq);
    store.sql.extendLease.run(until, task.progress, seq);
    lease.until = until;
    lease.progress = task.progress;
    if (progress) {
      const details = { percent: progress.percent, message: progress.message };
      tell(store, 'TASK_PROGRESS', task, { at, workerId: lease.worker, details });
    }
    return task.cancelAsked ? 'cancel_requested' : 'extended';
  });
}

function leaseUnder({ lease }: TaskRow, token: string): LeaseRow | null {
  return lease !== null && token === `${lease.token}.${lease.nonce}` ? lease : null;
}

export function settle(store: Store, batch: readonly Settlement[], { at }: Call): SettleResult[] {
  const results = batch.map((settlement) => settleOne(store, settlement, at));
  writeEndedLeases(store);
  return results;
}

function settleOne(store: Store, settlement: Settlement, at: Instant): SettleResult {
  const task = taskById(store, settlement.id);
  if (task === null) return { outcome: 'lease_lost', status: null };
  if (leaseUnder(task, settlement.token) === null) {
    const known = wasSettledBy(task.history, settlement.token);
    return { outcome: known ? 'already_settled' : 'lease_lost', status: task.status };
  }
  leave(store, task);
  if (task.queue.counts.queued > 0) store.woken.add(task.queue.name);
  record(task, settlement, at);
  const { workerId, settled } = settlement;
  const { decision, retryDelayMs } = settled;
  if (task.cancelAsked) {
    const error = errorOf(decision);
    if (error) task.lastError = JSON.stringify(error);
    endCancelled(store, task, 'requested', { at, workerId });
    return { outcome: 'settled', status: 'cancelled' };
  }
  if (isFinalDecision(decision)) {
    end(store, task, decision, { at, workerId });
    return { outcome: 'settled', status: decision.to };
  }
  goOn(task, decision);
  enterWaiting(store, task as Waiting, 'head');
  tellStatus(store, task, { at, workerId, retryDelayMs });
  return { outcome: 'settled', status: decision.to };
}

type Ongoing = Extract<Decision, { to: 'retrying' | 'scheduled' | 'queued' }>;

function isFinalDecision(decision: Decision): decision is Exclude<Decision, Ongoing> {
  return decision.to !== 'retrying' && decision.to !== 'scheduled' && decision.to !== 'queued';
}

function record(task: TaskRow, { settled, token, ...by }: Settlement, at: Instant): void {
  const attempt = {
    attempt: attemptOf(task),
    workerId: by.workerId,
    startedAt: by.startedAt,
    finishedAt: at,
    outcome: task.cancelAsked ? 'cancelled' : settled.outcome,
    error: errorOf(settled.decision),
    retryDelayMs: task.cancelAsked ? null : settled.retryDelayMs,
  } as const;
  task.history = addAttempt(task.history, attempt, token);
}

/** It will run again: what the decision changes besides the place. */
function goOn(task: TaskRow, decision: Ongoing): void {
  task.status = decision.to;
  if (decision.to === 'retrying') {
    task.availableAt = decision.availableAt;
    task.lastError = JSON.stringify(decision.error);
    task.unknownSince = null;
  } else if (decision.to === 'scheduled') {
    task.availableAt = decision.availableAt;
    task.givenBack += 1;
    task.unknownSince = decision.unknownSince;
  } else if (decision.cause === 'released') task.givenBack += 1;
  else task.losses += 1;
}

function errorOf(decision: Decision) {
  return 'error' in decision ? decision.error : null;
}

export function reap(
  store: Store,
  want: { readonly max: number; readonly leaseMs: number; readonly nonce: string },
  { at }: Call,
): PackedReap {
  const packed: PackedReap = { ...noLeases(), lostBy: [], startedAt: [] };
  const listOf = ({ number }: TaskRow['queue']) => number;
  for (const { seq } of upToOverall(store, store.leaseEnds, { listOf, at, limit: want.max })) {
    const task = taskBySeq(store, seq);
    if (!task?.lease) continue;
    relet(store, task, task.lease, { nonce: want.nonce, until: at + want.leaseMs, at });
    packTask(packed.tasks, task, bodyOf(store, task));
    packLease(packed, task);
    packed.lostBy.push(task.lease.worker);
    packed.startedAt.push(task.lease.startedAt);
  }
  writeEndedLeases(store);
  return { ...packed, nextAt: firstOverall(store, store.leaseEnds, listOf) };
}

function relet(
  store: Store,
  task: TaskRow,
  lease: LeaseRow,
  to: { readonly nonce: string; readonly until: Instant; readonly at: Instant },
): void {
  const { queue, seq } = task;
  store.leaseEnds.remove(queue.number, lease.until, seq);
  store.leaseEnds.add(queue.number, to.until, seq);
  endRequestLease(store, lease);
  // A reaper that died is reaped too; the loss was told the first time.
  if (!lease.lossTold) tell(store, 'LEASE_LOST', task, { at: to.at, workerId: lease.worker });
  task.token += 1;
  task.lease = {
    ...lease,
    token: task.token,
    nonce: to.nonce,
    until: to.until,
    request: null,
    lossTold: true,
  };
  store.sql.releaseTo.run(task.token, to.nonce, to.until, seq);
}
