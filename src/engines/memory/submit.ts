// Submit and replay: keys first, then the count bounds, then the task. Items see the ones before them.
import { type CountAsk, type CountRefusal, countRefusal, positionOf } from '../../core/admission.ts';
import { MAX_QUEUES, stampHome } from '../../core/id.ts';
import { type Instant, isFinal, type Task } from '../../core/task.ts';
import type { Call, NewTask, ReplayQuery, SubmitResult } from '../../engine/messages.ts';
import { tell, tellStatus } from './events.ts';
import { enter } from './moves.ts';
import { draftQueue, type Entry, type KeyRow, type QueueState, type State } from './state.ts';

export function submit(state: State, batch: readonly NewTask[], { at }: Call): SubmitResult[] {
  return batch.map((task) => submitOne(state, task, at));
}

export function replay(state: State, batch: readonly ReplayQuery[], { at }: Call): (SubmitResult | null)[] {
  return batch.map((query) => {
    const row = heldKey(state, query, at);
    return row && answerOf(row, query.fingerprint);
  });
}

function submitOne(state: State, task: NewTask, at: Instant): SubmitResult {
  const { client, idempotencyKey: key } = task;
  const held = key === null ? null : heldKey(state, { queue: task.queue, client, key }, at);
  if (held) {
    const answer = answerOf(held, task.fingerprint ?? '');
    const entry = held.entry;
    if (answer.outcome === 'duplicate' && entry) tell(state, 'DUPLICATE_ABSORBED', entry.task, { at });
    return answer;
  }
  const queue = state.queues.get(task.queue) ?? draftQueue(state, task.queue);
  if (queue.number >= MAX_QUEUES) return { outcome: 'queue_limit' };
  const delayed = task.runAt !== null && task.runAt > at;
  const refusal = refusalOf(queue, task.tenant, { delayed, priority: task.priority, bytes: task.bytes });
  if (refusal) return refusal;
  state.queues.set(queue.name, queue);
  return accept(state, queue, task, at);
}

function accept(state: State, queue: QueueState, task: NewTask, at: Instant): SubmitResult {
  const delayed = task.runAt !== null && task.runAt > at;
  const position = delayed ? null : positionOf(queue.byPriority, task.priority);
  const entry: Entry = {
    task: firstState(task, stampHome(task.id, { queueNumber: queue.number, shard: 0 }), at),
    queue,
    key: null,
    lease: null,
    tokenNumber: 0,
    settledTokens: [],
    place: 0,
    retainFrom: 0,
  };
  claimKey(state, entry, task);
  state.tasks.set(entry.task.id, entry);
  state.byId.add(entry);
  queue.totals.accepted += 1;
  enter(state, entry, 'tail');
  tellStatus(state, entry.task, at);
  return {
    outcome: 'created',
    id: entry.task.id,
    status: delayed ? 'scheduled' : 'queued',
    position,
    depth: queue.counts.queued + queue.counts.running,
    limit: queue.settings.maxDepth,
  };
}

/** The same bounds for a redrive, which comes back as due work. */
export function refusalOf(queue: QueueState, tenant: string, ask: CountAsk): CountRefusal | null {
  const { counts, bytes, settings } = queue;
  const load = {
    queued: counts.queued,
    running: counts.running,
    waitingForTime: counts.scheduled + counts.retrying,
    bytes,
    tenantDepth: queue.tenants.get(tenant)?.depth ?? 0,
  };
  return countRefusal(load, settings, ask);
}

/** One literal, field by field: objects put together by spreading are slow to make in V8, and to copy ever after. */
function firstState(spec: NewTask, id: string, at: Instant): Task {
  const delayed = spec.runAt !== null && spec.runAt > at;
  return {
    queue: spec.queue,
    type: spec.type,
    payload: spec.payload,
    metadata: spec.metadata,
    bytes: spec.bytes,
    priority: spec.priority,
    tenant: spec.tenant,
    client: spec.client,
    idempotencyKey: spec.idempotencyKey,
    ttlMs: spec.ttlMs,
    maxAttempts: spec.maxAttempts,
    timeoutMs: spec.timeoutMs,
    retry: spec.retry,
    input: spec.input,
    traceparent: spec.traceparent,
    tracestate: spec.tracestate,
    id,
    status: delayed ? 'scheduled' : 'queued',
    attempt: 0,
    deliveries: 0,
    leaseLosses: 0,
    generation: 1,
    createdAt: at,
    availableAt: delayed ? (spec.runAt ?? at) : at,
    startedAt: null,
    finishedAt: null,
    expiresAt: spec.ttlMs === null ? null : at + spec.ttlMs,
    unknownSince: null,
    progress: null,
    result: null,
    lastError: null,
    attempts: [],
    cancelRequested: false,
    cancelReason: null,
    deadLetter: null,
    inDlq: false,
  };
}

function keyName(client: string, key: string): string {
  return JSON.stringify([client, key]);
}

function heldKey(
  state: State,
  { queue, client, key }: Pick<ReplayQuery, 'queue' | 'client' | 'key'>,
  at: Instant,
): KeyRow | null {
  const row = state.queues.get(queue)?.keys.get(keyName(client, key));
  if (row === undefined) return null;
  const unfinished = row.entry !== null && !isFinal(row.entry.task.status);
  return unfinished || at < row.heldUntil ? row : null;
}

function answerOf(row: KeyRow, fingerprint: string): SubmitResult {
  if (row.fingerprint !== fingerprint) return { outcome: 'conflict', id: row.id };
  return { outcome: 'duplicate', id: row.id, status: row.entry?.task.status ?? row.lastStatus };
}

function claimKey(state: State, entry: Entry, task: NewTask): void {
  const { client, idempotencyKey } = task;
  if (idempotencyKey === null) return;
  const { queue } = entry;
  const name = keyName(client, idempotencyKey);
  const lapsed = queue.keys.get(name);
  if (lapsed) dropKey(state, lapsed);
  entry.key = {
    name,
    id: entry.task.id,
    fingerprint: task.fingerprint ?? '',
    heldUntil: task.keyHeldUntil ?? 0,
    queue,
    entry,
    lastStatus: entry.task.status,
  };
  queue.keys.set(name, entry.key);
}

export function dropKey(state: State, row: KeyRow): void {
  state.lapsing.remove(row);
  row.queue.keys.delete(row.name);
  if (row.entry) row.entry.key = null;
}
