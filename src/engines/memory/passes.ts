// The bounded passes of maintenance: promote what is due, expire what is too late, prune what is old.
import { expiryDecision } from '../../core/lifecycle.ts';
import { settlePolicy } from '../../core/settings.ts';
import type { Instant } from '../../core/task.ts';
import type { Call, PassReply, PruneReply } from '../../engine/messages.ts';
import { endWaiting } from './endings.ts';
import { tellStatus } from './events.ts';
import { boundDlq, forget, leaveDlq, move } from './moves.ts';
import type { Entry, QueueState, State } from './state.ts';
import { dropKey } from './submit.ts';

const WORKER_KEPT_MS = 86_400_000;

export function promote(state: State, limit: number, { at }: Call): PassReply {
  let done = 0;
  for (; done < limit; done += 1) {
    const entry = state.due.peek();
    if (entry === undefined || entry.task.availableAt > at) break;
    move(state, entry, { ...entry.task, status: 'queued' });
    tellStatus(state, entry.task, at);
  }
  return { done, nextAt: state.due.peek()?.task.availableAt ?? null };
}

export function expire(state: State, limit: number, { at }: Call): PassReply {
  let done = 0;
  for (; done < limit; done += 1) {
    const entry = state.expiring.peek();
    if (entry === undefined || (entry.task.expiresAt ?? 0) > at) break;
    endWaiting(state, entry, expiryDecision(settlePolicy(entry.queue.settings), null), at);
  }
  return { done, nextAt: state.expiring.peek()?.task.expiresAt ?? null };
}

export function prune(state: State, limit: number, { at }: Call): PruneReply {
  let done = 0;
  const files: string[] = [];
  for (const queue of state.queues.values()) {
    done += pruneQueue(state, queue, { limit: limit - done, at, files });
  }
  done += dropLapsedKeys(state, limit - done, at);
  done += forgetWorkers(state, limit - done, at);
  done += trimAudit(state, limit - done);
  return { done, nextAt: nextPrune(state), ...(files.length > 0 && { files }) };
}

interface Bound {
  readonly limit: number;
  readonly at: Instant;
  /** Takes the files of the records that go. */
  readonly files: string[];
}

function pruneQueue(state: State, queue: QueueState, { limit, at, files }: Bound): number {
  let done = boundDlq(state, queue, at);
  while (done < limit) {
    const letter = queue.dlq.first();
    if (!letter || letterEnd(queue, letter) > at) break;
    leaveDlq(state, letter, at);
    done += 1;
  }
  while (done < limit) {
    const entry = queue.results.peek();
    if (!entry || resultEnd(queue, entry) > at) break;
    queue.results.remove(entry);
    entry.task = { ...entry.task, result: null };
    done += 1;
  }
  while (done < limit) {
    const entry = queue.finished.peek();
    if (!entry || recordEnd(queue, entry) > at) break;
    forget(state, entry);
    if (entry.task.input) files.push(entry.task.input.path);
    done += 1;
  }
  return done;
}

function dropLapsedKeys(state: State, limit: number, at: Instant): number {
  let done = 0;
  for (; done < limit; done += 1) {
    const row = state.lapsing.peek();
    if (row === undefined || row.heldUntil > at) break;
    dropKey(state, row);
  }
  return done;
}

function forgetWorkers(state: State, limit: number, at: Instant): number {
  const silent = [...state.workers.values()]
    .filter(({ lastBeatAt }) => lastBeatAt + WORKER_KEPT_MS <= at)
    .slice(0, Math.max(0, limit));
  for (const { workerId } of silent) state.workers.delete(workerId);
  return silent.length;
}

function trimAudit(state: State, limit: number): number {
  const tooMany = Math.max(0, Math.min(limit, state.audit.length - state.auditMax));
  state.audit.splice(0, tooMany);
  return tooMany;
}

function nextPrune(state: State): Instant | null {
  const times: number[] = [];
  for (const queue of state.queues.values()) {
    const [letter, result, record] = [queue.dlq.first(), queue.results.peek(), queue.finished.peek()];
    if (letter) times.push(letterEnd(queue, letter));
    if (result) times.push(resultEnd(queue, result));
    if (record) times.push(recordEnd(queue, record));
  }
  const key = state.lapsing.peek();
  if (key) times.push(key.heldUntil);
  for (const { lastBeatAt } of state.workers.values()) times.push(lastBeatAt + WORKER_KEPT_MS);
  return times.length === 0 ? null : Math.min(...times);
}

function letterEnd({ settings }: QueueState, { task }: Entry): Instant {
  return (task.deadLetter?.at ?? 0) + settings.dlqRetentionS * 1000;
}

function resultEnd({ settings }: QueueState, { task }: Entry): Instant {
  return (task.finishedAt ?? 0) + settings.resultRetentionS * 1000;
}

function recordEnd({ settings }: QueueState, { retainFrom }: Entry): Instant {
  return retainFrom + settings.taskRetentionS * 1000;
}
