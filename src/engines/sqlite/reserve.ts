// Reserve: hands out the heads whose turn it is, under the queue's pace. Idempotent by requestId.
//
// Picks are made on the narrow `ready` rows alone, read a window at a time; the tasks are read once they are taken, and
// what was taken from a line leaves it by one range delete.
import type { Decision } from '../../core/decision.ts';
import { expiryDecision, isExpired } from '../../core/lifecycle.ts';
import { shares } from '../../core/order.ts';
import { rateVerdict } from '../../core/rate.ts';
import { settlePolicy } from '../../core/settings.ts';
import { type Instant, MAX_DELIVERIES } from '../../core/task.ts';
import type { Call, ReserveRequest } from '../../engine/messages.ts';
import { endWaiting } from './endings.ts';
import type { Line } from './lines.ts';
import { tellStatus } from './outbox.ts';
import { type PackedLeases, packLease } from './packing.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';
import { leased, type TaskRow } from './task-row.ts';
import { taskBySeq } from './tasks.ts';
import { type ReadyRow, Windows } from './windows.ts';

export function reserve(store: Store, want: ReserveRequest, { at }: Call): PackedLeases {
  const queues = want.queues.map(({ name }) => store.state.queues.get(name));
  const known = queues.filter((queue) => queue !== undefined);
  const again = repeated(store, want.requestId);
  const taken = again.length > 0 ? again : take(store, queues, want, at);
  const packed: PackedLeases = { tasks: [], tokens: [], untils: [], policies: [], nextAt: null };
  for (const task of taken) packLease(store, packed, task);
  return { ...packed, nextAt: nextDueAt(store, known, at) };
}

function take(
  store: Store,
  queues: readonly (QueueState | undefined)[],
  want: ReserveRequest,
  at: Instant,
): TaskRow[] {
  const weights = want.queues.map(({ weight }) => weight);
  const parts = shares(want.max, weights);
  const request = store.state.nextRequest;
  const taken: TaskRow[] = [];
  const turn = new Turn(store, want, { at, request }, taken);
  queues.forEach((queue, i) => {
    if (queue) turn.takeFrom(queue, parts[i] ?? 0);
  });
  for (const queue of queues) if (queue) turn.takeFrom(queue, want.max - taken.length);
  turn.windows.close();
  if (taken.length > 0) {
    store.state.nextRequest += 1;
    const seqs = JSON.stringify(taken.map(({ seq }) => seq));
    store.sql.insertRequest.run(request, want.requestId, taken.length, seqs);
  }
  return taken;
}

/** One reserve call at work. */
class Turn {
  readonly windows: Windows;
  readonly #store: Store;
  readonly #want: ReserveRequest;
  readonly #at: Instant;
  readonly #request: number;
  readonly #taken: TaskRow[];

  constructor(
    store: Store,
    want: ReserveRequest,
    { at, request }: { readonly at: Instant; readonly request: number },
    taken: TaskRow[],
  ) {
    this.windows = new Windows(store);
    this.#store = store;
    this.#want = want;
    this.#at = at;
    this.#request = request;
    this.#taken = taken;
  }

  takeFrom(queue: QueueState, most: number): void {
    const { settings, lines, runningOf } = queue;
    const ceiling = settings.tenantMaxRunning;
    const blocked = (tenant: string) => ceiling !== null && (runningOf.get(tenant) ?? 0) >= ceiling;
    let left = most;
    while (left > 0 && isOpen(this.#store, queue, this.#at)) {
      const pick = lines.order.next(settings.priorityAgingMs, blocked);
      const line = pick && lines.line(pick);
      const head = line && this.windows.head(queue, line, left);
      if (!line || !head) return;
      const end = endOf(queue, head, this.#at);
      if (end) this.#end(head, end);
      else {
        this.#start(queue, line, head);
        left -= 1;
      }
    }
  }

  /** Expired or poison: it ends here and is not handed out. */
  #end(head: ReadyRow, end: Parameters<typeof endWaiting>[2]): void {
    // What was taken so far leaves its lines first, so that the line's head is this one in the table too.
    this.windows.close();
    const task = taskBySeq(this.#store, head.seq);
    if (task) endWaiting(this.#store, task, end, this.#at);
  }

  #start(queue: QueueState, line: Line, head: ReadyRow): void {
    const store = this.#store;
    const { workerId, nonce, leaseMs } = this.#want;
    const task = taskBySeq(store, head.seq);
    if (task === null) throw new Error(`a line holds task ${head.seq}, which is not there`);
    const { settings } = queue;
    if (settings.rate) queue.tat = rateVerdict(queue.tat, this.#at, settings.rate).tat;
    queue.countWaiting(task as TaskRow & { status: 'queued' }, -1);
    if (task.expiresAt !== null) store.expiring.remove(queue.waitingList, task.expiresAt, task.seq);
    const until = this.#at + (leaseMs ?? settings.leaseMs);
    leased(task, {
      token: task.token + 1,
      nonce,
      worker: workerId,
      startedAt: this.#at,
      until,
      request: this.#request,
      progress: null,
      lossTold: false,
    });
    queue.countRunning(task, 1);
    this.windows.take(queue, line);
    store.sql.insertLease.run(task.seq, task.token, nonce, workerId, this.#at, until, this.#request);
    store.leaseEnds.add(queue.number, until, task.seq);
    store.state.changed.add(queue);
    this.#taken.push(task);
    tellStatus(store, task, { at: this.#at, workerId });
  }
}

/** Asked before any head is looked at: a queue that may not start anything is left as it is. */
function isOpen(store: Store, queue: QueueState, at: Instant): boolean {
  const { paused, settings, counts } = queue;
  if (paused !== null) return false;
  if (settings.maxRunning !== null && counts.running >= settings.maxRunning) return false;
  if (settings.rate === null) return true;
  const { allowed, tat } = rateVerdict(queue.tat, at, settings.rate);
  // A refusal is kept where it changes anything: after a clock went back, it is what cuts the old debt down.
  if (!allowed && tat !== queue.tat) {
    queue.tat = tat;
    store.state.changed.add(queue);
  }
  return allowed;
}

function endOf({ settings }: QueueState, head: ReadyRow, at: Instant) {
  if (isExpired(head.expiresAt, at)) return expiryDecision(settlePolicy(settings), null) as Final;
  if (head.deliveries < MAX_DELIVERIES) return null;
  const poison: Final = settings.deadLetter
    ? { to: 'dead_lettered', reason: 'too_many_deliveries', error: null }
    : { to: 'failed', error: null };
  return poison;
}
type Final = Extract<Decision, { to: 'dead_lettered' | 'failed' | 'expired' }>;

/** The leases of this request that still live as it gave them. */
function repeated(store: Store, requestId: string): TaskRow[] {
  const row = store.sql.requestByName.get(requestId);
  if (row === undefined) return [];
  const [request, seqs] = row as [number, string];
  return (JSON.parse(seqs) as number[])
    .map((seq) => taskBySeq(store, seq))
    .filter((task) => task !== null && task.lease?.request === request) as TaskRow[];
}

function nextDueAt(store: Store, queues: readonly QueueState[], at: Instant): Instant | null {
  let next: Instant | null = null;
  const soonest = (time: Instant | null) => {
    if (time !== null && (next === null || time < next)) next = time;
  };
  for (const { paused, number, waitingList, settings, counts, tat } of queues) {
    if (paused !== null) continue;
    soonest(store.schedule.first(waitingList));
    soonest(store.leaseEnds.first(number));
    if (settings.rate !== null && counts.queued > 0) soonest(rateVerdict(tat, at, settings.rate).nextAt);
  }
  return next === null ? null : Math.max(at, next);
}
