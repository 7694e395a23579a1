// Extend, settle and reap: everything that is fenced by a lease token.
import type { Decision } from '../../core/decision.ts';
import { ATTEMPTS_KEPT, type AttemptRecord, isFinal, type Task } from '../../core/task.ts';
import type {
  Call,
  Extend,
  ExtendResult,
  ReapReply,
  Settlement,
  SettleResult,
} from '../../engine/messages.ts';
import { ended } from './endings.ts';
import { tell, tellStatus } from './events.ts';
import { finish, move } from './moves.ts';
import { forgetRequest, leaseOf } from './reserve.ts';
import type { Entry, LeaseRow, State } from './state.ts';

export function extend(state: State, batch: readonly Extend[], { at }: Call): ExtendResult[] {
  return batch.map(({ id, token, leaseMs, progress }) => {
    const entry = state.tasks.get(id);
    if (entry?.lease?.token !== token) return 'lease_lost';
    relet(state, entry, { ...entry.lease, until: at + leaseMs });
    if (progress) {
      entry.task = { ...entry.task, progress };
      const details = { percent: progress.percent, message: progress.message };
      tell(state, 'TASK_PROGRESS', entry.task, { at, workerId: entry.lease.workerId, details });
    }
    return entry.task.cancelRequested ? 'cancel_requested' : 'extended';
  });
}

export function settle(state: State, batch: readonly Settlement[], call: Call): SettleResult[] {
  return batch.map((settlement) => settleOne(state, settlement, call));
}

function settleOne(state: State, settlement: Settlement, { at }: Call): SettleResult {
  const entry = state.tasks.get(settlement.id);
  if (entry === undefined) return { outcome: 'lease_lost', status: null };
  const { lease, settledTokens } = entry;
  if (lease === null || lease.token !== settlement.token) {
    const known = settledTokens.includes(settlement.token);
    return { outcome: known ? 'already_settled' : 'lease_lost', status: entry.task.status };
  }
  const next = settledTask(entry.task, settlement, at);
  entry.lease = null;
  entry.settledTokens = [...settledTokens, settlement.token].slice(-ATTEMPTS_KEPT);
  forgetRequest(state, lease);
  if (entry.queue.counts.queued > 0) state.woken.add(entry.queue.name);
  if (isFinal(next.status)) finish(state, entry, { task: next, at, workerId: settlement.workerId });
  else {
    move(state, entry, next, 'head');
    tellStatus(state, next, at, settlement.workerId);
  }
  return { outcome: 'settled', status: next.status };
}

/** The task after its delivery has ended: the decision as it came, but for a cancel that was asked for. */
function settledTask(task: Task, settlement: Settlement, at: number): Task {
  const { decision, outcome, retryDelayMs } = settlement.settled;
  const record: AttemptRecord = {
    attempt: task.attempt,
    workerId: settlement.workerId,
    startedAt: settlement.startedAt,
    finishedAt: at,
    outcome: task.cancelRequested ? 'cancelled' : outcome,
    error: errorOf(decision),
    retryDelayMs: task.cancelRequested ? null : retryDelayMs,
  };
  const recorded = { ...task, attempts: [...task.attempts, record].slice(-ATTEMPTS_KEPT) };
  if (task.cancelRequested) return cancelledBySettle(recorded, decision, at);
  switch (decision.to) {
    case 'retrying':
      return {
        ...recorded,
        status: 'retrying',
        availableAt: decision.availableAt,
        lastError: decision.error,
        unknownSince: null,
      };
    case 'scheduled':
      return {
        ...recorded,
        status: 'scheduled',
        availableAt: decision.availableAt,
        attempt: task.attempt - 1,
        unknownSince: decision.unknownSince,
      };
    case 'queued':
      return decision.cause === 'released'
        ? { ...recorded, status: 'queued', attempt: task.attempt - 1 }
        : { ...recorded, status: 'queued', leaseLosses: task.leaseLosses + 1 };
    default:
      return ended(recorded, decision, at);
  }
}

function cancelledBySettle(task: Task, decision: Decision, at: number): Task {
  return {
    ...task,
    status: 'cancelled',
    cancelReason: 'requested',
    finishedAt: at,
    unknownSince: null,
    lastError: errorOf(decision) ?? task.lastError,
  };
}

function errorOf(decision: Decision) {
  return 'error' in decision ? decision.error : null;
}

export function reap(
  state: State,
  want: { readonly max: number; readonly leaseMs: number; readonly nonce: string },
  { at }: Call,
): ReapReply {
  const leases: ReapReply['leases'][number][] = [];
  while (leases.length < want.max) {
    const entry = state.leases.peek();
    const lost = entry?.lease;
    if (!entry || !lost || lost.until > at) break;
    entry.tokenNumber += 1;
    const token = `${entry.tokenNumber}.${want.nonce}`;
    relet(state, entry, { ...lost, token, until: at + want.leaseMs, requestId: null, lossTold: true });
    forgetRequest(state, lost);
    // A reaper that died is reaped too; the loss was told the first time.
    if (!lost.lossTold) tell(state, 'LEASE_LOST', entry.task, { at, workerId: lost.workerId });
    leases.push({ ...leaseOf(entry), lostBy: lost.workerId, startedAt: lost.startedAt });
  }
  return { leases, nextAt: state.leases.peek()?.lease?.until ?? null };
}

function relet(state: State, entry: Entry, lease: LeaseRow): void {
  entry.lease = lease;
  state.leases.update(entry);
  entry.queue.leases.update(entry);
}
