// Tasks on their way out of the thread: a task is TASK_WIDTH plain values in a row of one flat array, because a
// structured clone of flat arrays costs a third of one of objects (docs/decisions/sqlite-thread.md).
import type { SettlePolicy } from '../../core/settings.ts';
import { settlePolicy } from '../../core/settings.ts';
import type {
  CancelReason,
  DeadLetterReason,
  InputFile,
  Instant,
  Progress,
  RetryPolicy,
  Task,
  TaskError,
  TaskStatus,
} from '../../core/task.ts';
import type { Lease } from '../../engine/messages.ts';
import { readAttempts } from './history.ts';
import type { Store } from './store.ts';
import { attemptOf, type TaskRow } from './task-row.ts';

export type Packed = (string | number | boolean | null)[];

export interface PackedLeases {
  readonly tasks: Packed;
  readonly tokens: string[];
  readonly untils: Instant[];
  /** Of the lease at the same place; the same object is sent once. */
  readonly policies: SettlePolicy[];
  readonly nextAt: Instant | null;
}

export interface PackedReap extends PackedLeases {
  readonly lostBy: string[];
  readonly startedAt: Instant[];
}

const TASK_WIDTH = 34;

export function packTask(store: Store, packed: Packed, task: TaskRow): void {
  const body = (store.sql.bodyBySeq.get(task.seq) ?? []) as Packed;
  packed.push(
    task.id,
    task.queue.name,
    task.type,
    task.priority,
    task.tenant,
    task.bytes,
    task.createdAt,
    task.status,
    attemptOf(task),
    task.deliveries,
    task.losses,
    task.generation,
    task.availableAt,
    task.startedAt,
    task.finishedAt,
    task.expiresAt,
    task.unknownSince,
    task.cancelAsked,
    task.cancelReason,
    task.deadReason,
    task.deadAt,
    task.inDlq,
    task.progress,
    task.lastError,
    task.history,
    ...body,
  );
}

export function packLease(store: Store, packed: PackedLeases, task: TaskRow): void {
  const { lease, queue } = task;
  packTask(store, packed.tasks, task);
  packed.tokens.push(lease ? `${lease.token}.${lease.nonce}` : '');
  packed.untils.push(lease?.until ?? 0);
  packed.policies.push(settlePolicy(queue.settings));
}

export function unpackTasks(packed: Packed): Task[] {
  const tasks: Task[] = [];
  for (let from = 0; from < packed.length; from += TASK_WIDTH) tasks.push(unpackTask(packed, from));
  return tasks;
}

export function unpackLeases({ tasks, tokens, untils, policies }: PackedLeases): Lease[] {
  return unpackTasks(tasks).map((task, i) => ({
    task,
    token: tokens[i] ?? '',
    until: untils[i] ?? 0,
    policy: policies[i] as SettlePolicy,
  }));
}

function unpackTask(packed: Packed, from: number): Task {
  const at = <T>(place: number): T => packed[from + place] as T;
  const rest = at<string | null>(30) === null ? null : readRest(at(30));
  const deadReason = at<DeadLetterReason | null>(19);
  return {
    id: at(0),
    queue: at(1),
    type: at(2),
    payload: at(32),
    metadata: at(31),
    bytes: at(5),
    priority: at(3),
    tenant: at(4),
    client: at(25),
    idempotencyKey: at(26),
    ttlMs: at(27),
    maxAttempts: at(28),
    timeoutMs: at(29),
    retry: rest?.[0] ?? null,
    input: rest?.[1] ?? null,
    traceparent: rest?.[2] ?? null,
    tracestate: rest?.[3] ?? null,
    status: at<TaskStatus>(7),
    attempt: at(8),
    deliveries: at(9),
    leaseLosses: at(10),
    generation: at(11),
    createdAt: at(6),
    availableAt: at(12),
    startedAt: at(13),
    finishedAt: at(14),
    expiresAt: at(15),
    unknownSince: at(16),
    progress: parse<Progress>(at(22)),
    result: at(33),
    lastError: parse<TaskError>(at(23)),
    attempts: readAttempts(at(24)),
    cancelRequested: at(17),
    cancelReason: at<CancelReason | null>(18),
    deadLetter: deadReason === null ? null : { reason: deadReason, at: at(20) },
    inDlq: at(21),
  };
}

/** bodies.rest: what most tasks have not. */
export function readRest(text: string): Rest {
  return JSON.parse(text) as Rest;
}
type Rest = [RetryPolicy | null, InputFile | null, traceparent: string | null, tracestate: string | null];

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}
