// Submit and replay: keys first, then the count bounds, then the task. Items see the ones before them.
import { countRefusal, positionOf } from '../../core/admission.ts';
import { MAX_QUEUES, stampHome } from '../../core/id.ts';
import { type Instant, isFinal, type TaskStatus } from '../../core/task.ts';
import { EngineError } from '../../engine/errors.ts';
import type { Call, NewTask, ReplayQuery, SubmitResult } from '../../engine/messages.ts';
import { tell, tellStatus } from './outbox.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';
import { STATUS_NAMES, STATUS_NUMBERS, type TaskRow } from './task-row.ts';
import { taskBySeq } from './tasks.ts';

export function submit(store: Store, batch: readonly NewTask[], { at }: Call): SubmitResult[] {
  refuseOverCap(store);
  return batch.map((task) => submitOne(store, task, at));
}

export function replay(store: Store, batch: readonly ReplayQuery[], { at }: Call): (SubmitResult | null)[] {
  return batch.map((query) => {
    const held = heldKey(store, query, at);
    return held && answerOf(held, query.fingerprint);
  });
}

/** Submits stop short of the file's cap, so that settles and purges still have room. */
export function refuseOverCap({ db, config }: Store): void {
  if (config.maxBytes === null) return;
  const pragma = (name: string) => db.pragma(name, { simple: true }) as number;
  const used = (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  if (used >= config.maxBytes * SUBMIT_SHARE) {
    throw new EngineError('STORE_FULL', `the database holds ${used} of the ${config.maxBytes} bytes it may`);
  }
}
const SUBMIT_SHARE = 0.9;

function submitOne(store: Store, task: NewTask, at: Instant): SubmitResult {
  const { client, idempotencyKey: key, priority, tenant, bytes } = task;
  const held = key === null ? null : heldKey(store, { queue: task.queue, client, key }, at);
  if (held) {
    const answer = answerOf(held, task.fingerprint ?? '');
    if (answer.outcome === 'duplicate' && held.task) tell(store, 'DUPLICATE_ABSORBED', held.task, { at });
    return answer;
  }
  const queue = store.state.queues.get(task.queue) ?? store.state.draft(task.queue);
  if (queue.number >= MAX_QUEUES) return { outcome: 'queue_limit' };
  const delayed = task.runAt !== null && task.runAt > at;
  const refusal = countRefusal(queue.loadFor(tenant), queue.settings, { delayed, priority, bytes });
  return refusal ?? accept(store, queue, task, at);
}

function accept(store: Store, queue: QueueState, spec: NewTask, at: Instant): SubmitResult {
  store.state.keep(queue);
  const id = stampHome(spec.id, { queueNumber: queue.number, shard: 0 });
  const delayed = spec.runAt !== null && spec.runAt > at;
  const status = delayed ? 'scheduled' : 'queued';
  const position = delayed ? null : positionOf(queue.byPriority, spec.priority);
  const availableAt = delayed ? (spec.runAt ?? at) : at;
  const expiresAt = spec.ttlMs === null ? null : at + spec.ttlMs;
  const seq = store.state.nextSeq;
  store.state.nextSeq += 1;
  const key = claimKey(store, queue, { spec, id, seq });
  const place = newPlace(store, queue, { spec, seq, status, availableAt, expiresAt });
  queue.counts.accepted += 1;
  const { type, priority, tenant, bytes } = spec;
  const { sql } = store;
  sql.insertTask.run(
    ...[seq, id, queue.number, type, priority, tenant, bytes, at, key, STATUS_NUMBERS[status], queue.epoch],
    ...[place?.line ?? null, place?.pos ?? null, availableAt, expiresAt],
  );
  insertBody(store, spec, seq);
  if (store.wantsEvents) {
    const shown = { id, queue, type, status, availableAt, deliveries: 0, givenBack: 0 } as TaskRow;
    tellStatus(store, shown, { at });
  }
  const depth = queue.counts.queued + queue.counts.running;
  return { outcome: 'created', id, status, position, depth, limit: queue.settings.maxDepth };
}

function newPlace(
  store: Store,
  queue: QueueState,
  task: {
    readonly spec: NewTask;
    readonly seq: number;
    readonly status: 'queued' | 'scheduled';
    readonly availableAt: Instant;
    readonly expiresAt: Instant | null;
  },
): { readonly line: number; readonly pos: number } | null {
  const { spec, seq, status, availableAt, expiresAt } = task;
  const { priority, tenant, bytes } = spec;
  queue.countWaiting({ status, priority, tenant, bytes }, 1);
  if (expiresAt !== null) store.expiring.add(queue.waitingList, expiresAt, seq);
  if (status === 'scheduled') {
    store.schedule.add(queue.waitingList, availableAt, seq);
    return null;
  }
  const { line, pos } = queue.lines.join(spec, { end: 'tail', availableAt }, store.state.newLine);
  store.sql.insertReady.run(line.id, pos, seq, availableAt, expiresAt, 0);
  store.woken.add(queue.name);
  return { line: line.id, pos };
}

function insertBody({ sql }: Store, spec: NewTask, seq: number): void {
  const { retry, input, traceparent, tracestate } = spec;
  const plain = retry === null && input === null && traceparent === null && tracestate === null;
  const rest = plain ? null : JSON.stringify([retry, input, traceparent, tracestate]);
  sql.insertBody.run(
    ...[seq, spec.client, spec.idempotencyKey, spec.ttlMs, spec.maxAttempts, spec.timeoutMs],
    ...[rest, spec.metadata, spec.payload],
  );
}

interface HeldKey {
  readonly id: string;
  readonly fingerprint: string;
  readonly status: TaskStatus;
  /** null once the record was pruned. */
  readonly task: TaskRow | null;
}

type KeyName = Pick<ReplayQuery, 'queue' | 'client' | 'key'>;

function heldKey(store: Store, { queue: name, client, key }: KeyName, at: Instant): HeldKey | null {
  const queue = store.state.queues.get(name);
  const row = queue && store.sql.keyByName.get(queue.number, client, key);
  if (row === undefined) return null;
  const [, fingerprint, heldUntil, id, seq, lastStatus] = row as [
    ...[number, string, number, string, number | null, number | null],
  ];
  const task = seq === null ? null : taskBySeq(store, seq);
  const unfinished = task !== null && !isFinal(task.status);
  if (!unfinished && at >= heldUntil) return null;
  const status = task?.status ?? STATUS_NAMES[lastStatus ?? 0] ?? 'succeeded';
  return { id, fingerprint, status, task };
}

function answerOf({ id, status, ...held }: HeldKey, fingerprint: string): SubmitResult {
  if (held.fingerprint !== fingerprint) return { outcome: 'conflict', id };
  return { outcome: 'duplicate', id, status };
}

function claimKey(
  store: Store,
  queue: QueueState,
  { spec, id, seq }: { readonly spec: NewTask; readonly id: string; readonly seq: number },
): number | null {
  const { client, idempotencyKey: name, fingerprint, keyHeldUntil } = spec;
  if (name === null) return null;
  const lapsed = store.sql.keyByName.get(queue.number, client, name) as unknown[] | undefined;
  if (lapsed) dropKey(store, lapsed[0] as number);
  const key = store.state.nextKey;
  store.state.nextKey += 1;
  store.sql.insertKey.run(key, queue.number, client, name, fingerprint ?? '', keyHeldUntil ?? 0, id, seq);
  return key;
}

export function dropKey({ sql }: Store, key: number): void {
  const [seq] = (sql.keyTask.get(key) ?? [null]) as (number | null)[];
  sql.stopLapse.run(key, key);
  sql.deleteKey.run(key);
  if (seq !== null) sql.dropTaskKey.run(seq);
}
