// Reserve: hands out the heads whose turn it is, under the queue's pace. Idempotent by requestId.
import { expiryDecision, isExpired } from '../../core/lifecycle.ts';
import { shares } from '../../core/order.ts';
import { paceVerdict } from '../../core/pace.ts';
import { rateVerdict } from '../../core/rate.ts';
import { settlePolicy } from '../../core/settings.ts';
import { type Instant, MAX_DELIVERIES } from '../../core/task.ts';
import type { Call, Lease, ReserveReply, ReserveRequest } from '../../engine/messages.ts';
import { endWaiting } from './endings.ts';
import { tellStatus } from './events.ts';
import { move } from './moves.ts';
import type { Entry, LeaseRow, QueueState, State } from './state.ts';

export function reserve(state: State, want: ReserveRequest, { at }: Call): ReserveReply {
  const queues = want.queues.flatMap(({ name }) => state.queues.get(name) ?? []);
  const again = repeated(state, want.requestId);
  if (again.length > 0) return { leases: again.map(leaseOf), nextDueAt: nextDueAt(queues, at) };

  const parts = shares(
    want.max,
    want.queues.map(({ weight }) => weight),
  );
  const taken: Entry[] = [];
  const takeFrom = (name: string, most: number) => {
    const queue = state.queues.get(name);
    for (let i = 0; queue && i < most; i += 1) {
      const entry = takeOne(state, queue, want, at);
      if (entry === null) return;
      taken.push(entry);
    }
  };
  want.queues.forEach(({ name }, i) => {
    takeFrom(name, parts[i] ?? 0);
  });
  for (const { name } of want.queues) takeFrom(name, want.max - taken.length);

  if (taken.length > 0) {
    const leases = taken.map((entry) => ({ entry, token: entry.lease?.token ?? '' }));
    state.requests.set(want.requestId, { id: want.requestId, leases });
  }
  return { leases: taken.map(leaseOf), nextDueAt: nextDueAt(queues, at) };
}

function repeated(state: State, requestId: string): Entry[] {
  const request = state.requests.get(requestId);
  return (request?.leases ?? [])
    .filter(({ entry, token }) => entry.lease?.token === token)
    .map(({ entry }) => entry);
}

/** Call when a lease has ended: the request is remembered while another of its leases lives. */
export function forgetRequest(state: State, { requestId }: LeaseRow): void {
  if (requestId !== null && repeated(state, requestId).length === 0) state.requests.delete(requestId);
}

function takeOne(state: State, queue: QueueState, want: ReserveRequest, at: Instant): Entry | null {
  const { settings, lines } = queue;
  const blocked = (tenant: string) =>
    settings.tenantMaxRunning !== null &&
    (queue.tenants.get(tenant)?.running ?? 0) >= settings.tenantMaxRunning;
  for (;;) {
    if (!isOpen(queue, at)) return null;
    const pick = lines.order.next(settings.priorityAgingMs, blocked);
    const head = pick && lines.headOf(pick);
    if (!pick || !head) return null;
    if (isExpired(head.task.expiresAt, at)) {
      endWaiting(state, head, expiryDecision(settlePolicy(settings), null), at);
    } else if (head.task.deliveries >= MAX_DELIVERIES) {
      endWaiting(state, head, poisonDecision(settings.deadLetter), at);
    } else {
      lines.take(pick);
      start(state, head, want, at);
      return head;
    }
  }
}

function poisonDecision(deadLetter: boolean) {
  return deadLetter
    ? ({ to: 'dead_lettered', reason: 'too_many_deliveries', error: null } as const)
    : ({ to: 'failed', error: null } as const);
}

/** Asked before any head is looked at: a queue that may not start anything is left as it is. */
function isOpen(queue: QueueState, at: Instant): boolean {
  const { paused, counts, tat, settings } = queue;
  const verdict = paceVerdict({ paused: paused !== null, running: counts.running, tat }, settings, at);
  queue.tat = verdict.tat;
  return verdict.open;
}

function start(state: State, entry: Entry, want: ReserveRequest, at: Instant): void {
  const { queue, task } = entry;
  if (queue.settings.rate) queue.tat = rateVerdict(queue.tat, at, queue.settings.rate).tat;
  entry.tokenNumber += 1;
  entry.lease = {
    token: `${entry.tokenNumber}.${want.nonce}`,
    workerId: want.workerId,
    startedAt: at,
    until: at + (want.leaseMs ?? queue.settings.leaseMs),
    requestId: want.requestId,
    lossTold: false,
  };
  move(state, entry, {
    ...task,
    status: 'running',
    attempt: task.attempt + 1,
    deliveries: task.deliveries + 1,
    startedAt: task.startedAt ?? at,
    progress: null,
  });
  tellStatus(state, entry.task, at, want.workerId);
}

/** The lease as its holder sees it; the entry must be leased. */
export function leaseOf({ task, lease, queue }: Entry): Lease {
  return {
    task,
    token: lease?.token ?? '',
    until: lease?.until ?? 0,
    policy: settlePolicy(queue.settings),
  };
}

function nextDueAt(queues: readonly QueueState[], at: Instant): Instant | null {
  const times = queues
    .filter(({ paused }) => paused === null)
    .flatMap(({ due, leases, settings, counts, tat }) => [
      due.peek()?.task.availableAt ?? null,
      leases.peek()?.lease?.until ?? null,
      settings.rate !== null && counts.queued > 0 ? rateVerdict(tat, at, settings.rate).nextAt : null,
    ])
    .filter((time) => time !== null);
  return times.length === 0 ? null : Math.max(at, Math.min(...times));
}
