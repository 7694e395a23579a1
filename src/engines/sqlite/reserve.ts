// Reserve: hands out the heads whose turn it is, under the queue's pace. Idempotent by requestId.
//
// Picks are made on the narrow `ready` rows alone, read a window at a time; the tasks are read once they are taken, and
// what was taken from a line leaves it by one range delete.
import type { Decision } from '../../core/decision.ts';
import { expiryDecision, isExpired } from '../../core/lifecycle.ts';
import { shares } from '../../core/order.ts';
import { paceVerdict } from '../../core/pace.ts';
import { rateVerdict } from '../../core/rate.ts';
import { type Instant, MAX_DELIVERIES } from '../../core/task.ts';
import type { Call, ReserveRequest } from '../../engine/messages.ts';
import { endWaiting } from './endings.ts';
import type { Line, ReadyRow } from './lines.ts';
import type { Waiting } from './moves.ts';
import { tellStatus } from './outbox.ts';
import { noLeases, type PackedLeases, packLease, packTask } from './packing.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';
import { leased, QUEUED_BODY_FROM, readQueued, type TaskRow } from './task-row.ts';
import { bodyOf, taskBySeq } from './tasks.ts';
import { Windows } from './windows.ts';

export function reserve(store: Store, want: ReserveRequest, { at }: Call): PackedLeases {
  const queues = want.queues.map(({ name }) => store.state.queues.get(name));
  const again = repeated(store, want.requestId);
  const packed = again.length > 0 ? noLeases() : take(store, queues, want, at);
  for (const task of again) {
    packTask(packed.tasks, task, bodyOf(store, task));
    packLease(packed, task);
  }
  packed.nextAt = nextDueAt(store, queues, at);
  return packed;
}

type Queues = readonly (QueueState | undefined)[];

function take(store: Store, queues: Queues, want: ReserveRequest, at: Instant): PackedLeases {
  const weights = want.queues.map(({ weight }) => weight);
  const parts = shares(want.max, weights);
  const turn = new Turn(store, want, at);
  queues.forEach((queue, i) => {
    if (queue) turn.takeFrom(queue, parts[i] ?? 0);
  });
  for (const queue of queues) if (queue) turn.takeFrom(queue, want.max - turn.seqs.length);
  turn.close();
  return turn.packed;
}

/** One reserve call at work. */
class Turn {
  readonly packed = noLeases();
  readonly seqs: number[] = [];
  readonly #store: Store;
  readonly #windows: Windows;
  readonly #want: ReserveRequest;
  readonly #at: Instant;
  readonly #request: number;

  constructor(store: Store, want: ReserveRequest, at: Instant) {
    this.#store = store;
    this.#windows = new Windows(store);
    this.#want = want;
    this.#at = at;
    this.#request = store.state.nextRequest;
  }

  takeFrom(queue: QueueState, most: number): void {
    const { settings, lines, runningOf } = queue;
    const ceiling = settings.tenantMaxRunning;
    const blocked = (tenant: string) => ceiling !== null && (runningOf.get(tenant) ?? 0) >= ceiling;
    let left = most;
    while (left > 0 && isOpen(this.#store, queue, this.#at)) {
      const pick = lines.order.next(settings.priorityAgingMs, blocked);
      const line = pick && lines.line(pick);
      const head = line && this.#windows.head(queue, line, left);
      if (!line || !head) return;
      const end = endOf(queue, head, this.#at);
      if (end) this.#end(head, end);
      else {
        this.#start(queue, line, head);
        left -= 1;
      }
    }
  }

  close(): void {
    const { sql, state } = this.#store;
    this.#windows.close();
    if (this.seqs.length === 0) return;
    state.nextRequest += 1;
    sql.insertRequest.run(this.#request, this.#want.requestId, this.seqs.length, JSON.stringify(this.seqs));
  }

  /** Expired or poison: it ends here and is not handed out. */
  #end(head: ReadyRow, end: Final): void {
    // What was taken so far leaves its lines first, so that the line's head is this one in the table too.
    this.#windows.close();
    const task = taskBySeq(this.#store, head.seq);
    if (task) endWaiting(this.#store, task, end, this.#at);
  }

  #start(queue: QueueState, line: Line, head: ReadyRow): void {
    const store = this.#store;
    const row = store.sql.queuedBySeq.get(head.seq) as (string | number | null)[] | undefined;
    if (row === undefined) throw new Error(`a line holds task ${head.seq}, which is not there`);
    const task = readQueued(row, { queue, line, head });
    const { settings } = queue;
    if (settings.rate) queue.tat = rateVerdict(queue.tat, this.#at, settings.rate).tat;
    queue.countWaiting(task as Waiting, -1);
    if (task.expiresAt !== null) store.expiring.remove(queue.waitingList, task.expiresAt, task.seq);
    this.#lease(task);
    queue.countRunning(task, 1);
    this.#windows.take(queue, line);
    store.state.changed.add(queue);
    this.seqs.push(task.seq);
    packTask(this.packed.tasks, task, row, QUEUED_BODY_FROM);
    packLease(this.packed, task);
    tellStatus(store, task, { at: this.#at, workerId: this.#want.workerId });
  }

  #lease(task: TaskRow): void {
    const store = this.#store;
    const { workerId: worker, nonce, leaseMs } = this.#want;
    const { seq, queue } = task;
    const [token, startedAt, request] = [task.token + 1, this.#at, this.#request];
    const until = startedAt + (leaseMs ?? queue.settings.leaseMs);
    leased(task, { token, nonce, worker, startedAt, until, request, progress: null, lossTold: false });
    store.sql.insertLease.run(seq, queue.number, token, nonce, worker, startedAt, until, request);
    store.leaseEnds.add(queue.number, until, seq);
    store.leased.add(task);
  }
}

function isOpen({ state }: Store, queue: QueueState, at: Instant): boolean {
  const { counts, paused, settings, tat } = queue;
  const verdict = paceVerdict({ paused: paused !== null, running: counts.running, tat }, settings, at);
  if (verdict.tat !== tat) {
    queue.tat = verdict.tat;
    state.changed.add(queue);
  }
  return verdict.open;
}

function endOf({ settings, policy }: QueueState, head: ReadyRow, at: Instant) {
  if (isExpired(head.expiresAt, at)) return expiryDecision(policy, null) as Final;
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

function nextDueAt(store: Store, queues: Queues, at: Instant): Instant | null {
  let next: Instant | null = null;
  const soonest = (time: Instant | null) => {
    if (time !== null && (next === null || time < next)) next = time;
  };
  for (const queue of queues) {
    if (queue === undefined || queue.paused !== null) continue;
    const { number, waitingList, settings, counts, tat } = queue;
    soonest(store.schedule.first(waitingList));
    soonest(store.leaseEnds.first(number));
    if (settings.rate !== null && counts.queued > 0) soonest(rateVerdict(tat, at, settings.rate).nextAt);
  }
  return next === null ? null : Math.max(at, next);
}
