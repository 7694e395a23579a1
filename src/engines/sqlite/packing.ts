// Tasks on their way out of the thread: TASK_WIDTH plain values each, in one flat array. A structured clone of flat arrays
// costs less than half of one of objects; what most tasks have not is one value, `rare` (docs/decisions/0008).
import type { SettlePolicy } from '../../core/settings.ts';
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
import { attemptOf, type TaskRow } from './task-row.ts';

type Value = string | number | null;
export type Packed = (Value | Rare)[];

/** A row of BODY_COLUMNS. */
type Body = readonly [
  client: string,
  keyName: string | null,
  ttlMs: number | null,
  maxAttempts: number,
  timeoutMs: number,
  rest: string | null,
  metadata: string,
  payload: string,
];

type Rare = readonly [
  losses: number,
  finishedAt: Instant | null,
  expiresAt: Instant | null,
  unknownSince: Instant | null,
  cancelAsked: boolean,
  cancelReason: CancelReason | null,
  deadReason: DeadLetterReason | null,
  deadAt: Instant | null,
  inDlq: boolean,
  progress: string | null,
  lastError: string | null,
  history: string | null,
  keyName: string | null,
  ttlMs: number | null,
  rest: string | null,
  result: string | null,
];
const NOTHING_RARE: Rare = [
  ...([0, null, null, null, false, null, null, null] as const),
  ...([false, null, null, null, null, null, null, null] as const),
];

const TASK_WIDTH = 19;

/** @param row the task's body as BODY_COLUMNS, beginning at `from`, then its result where it may have one */
export function packTask(packed: Packed, task: TaskRow, row: readonly Value[], from = 0): void {
  const [client, keyName, ttlMs, maxAttempts, timeoutMs, rest, metadata, payload] = row.slice(
    from,
  ) as unknown as Body;
  const plain =
    task.history === null &&
    task.finishedAt === null &&
    !task.cancelAsked &&
    task.progress === null &&
    keyName === null &&
    ttlMs === null &&
    rest === null;
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
    task.generation,
    task.availableAt,
    task.startedAt,
    client,
    maxAttempts,
    timeoutMs,
    metadata,
    payload,
    plain ? null : rareOf(task, { keyName, ttlMs, rest, result: (row[from + 8] ?? null) as string | null }),
  );
}

function rareOf(
  task: TaskRow,
  of: {
    readonly keyName: string | null;
    readonly ttlMs: number | null;
    readonly rest: string | null;
    readonly result: string | null;
  },
): Rare {
  const { losses, finishedAt, expiresAt, unknownSince, cancelAsked, cancelReason } = task;
  const { deadReason, deadAt, inDlq, progress, lastError, history } = task;
  return [
    ...([
      losses,
      finishedAt,
      expiresAt,
      unknownSince,
      cancelAsked,
      cancelReason,
      deadReason,
      deadAt,
    ] as const),
    ...([inDlq, progress, lastError, history, of.keyName, of.ttlMs, of.rest, of.result] as const),
  ];
}

export function unpackTasks(packed: Packed): Task[] {
  const tasks: Task[] = [];
  for (let from = 0; from < packed.length; from += TASK_WIDTH) tasks.push(unpackTask(packed, from));
  return tasks;
}

function unpackTask(packed: Packed, from: number): Task {
  const rare = (packed[from + 18] as Rare | null) ?? NOTHING_RARE;
  const [losses, finishedAt, expiresAt, unknownSince, cancelRequested, cancelReason, deadReason, deadAt] =
    rare;
  const [, , , , , , , , inDlq, progress, lastError, history, keyName, ttlMs, rest, result] = rare;
  const [retry, input, traceparent, tracestate] = rest === null ? NO_REST : readRest(rest);
  return {
    id: packed[from] as string,
    queue: packed[from + 1] as string,
    type: packed[from + 2] as string,
    payload: packed[from + 17] as string,
    metadata: packed[from + 16] as string,
    bytes: packed[from + 5] as number,
    priority: packed[from + 3] as number,
    tenant: packed[from + 4] as string,
    client: packed[from + 13] as string,
    idempotencyKey: keyName,
    ttlMs,
    maxAttempts: packed[from + 14] as number,
    timeoutMs: packed[from + 15] as number,
    retry,
    input,
    traceparent,
    tracestate,
    status: packed[from + 7] as TaskStatus,
    attempt: packed[from + 8] as number,
    deliveries: packed[from + 9] as number,
    leaseLosses: losses,
    generation: packed[from + 10] as number,
    createdAt: packed[from + 6] as number,
    availableAt: packed[from + 11] as number,
    startedAt: packed[from + 12] as number | null,
    finishedAt,
    expiresAt,
    unknownSince,
    progress: parse<Progress>(progress),
    result,
    lastError: parse<TaskError>(lastError),
    attempts: readAttempts(history),
    cancelRequested,
    cancelReason,
    deadLetter: deadReason === null ? null : { reason: deadReason, at: deadAt ?? 0 },
    inDlq,
  };
}

/** bodies.rest: what most tasks have not. */
type Rest = [RetryPolicy | null, InputFile | null, traceparent: string | null, tracestate: string | null];
const NO_REST: Rest = [null, null, null, null];

export function readRest(text: string): Rest {
  return JSON.parse(text) as Rest;
}

function parse<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** Leases: at the same place in each array is what belongs to the same one. */
export interface PackedLeases {
  readonly tasks: Packed;
  readonly tokens: string[];
  readonly untils: Instant[];
  readonly policies: SettlePolicy[];
  nextAt: Instant | null;
}

export interface PackedReap extends PackedLeases {
  readonly lostBy: string[];
  readonly startedAt: Instant[];
}

export function noLeases(): PackedLeases {
  return { tasks: [], tokens: [], untils: [], policies: [], nextAt: null };
}

/** Beside the task itself. */
export function packLease({ tokens, untils, policies }: PackedLeases, { lease, queue }: TaskRow): void {
  tokens.push(lease ? `${lease.token}.${lease.nonce}` : '');
  untils.push(lease?.until ?? 0);
  policies.push(queue.policy);
}

export function unpackLeases({ tasks, tokens, untils, policies }: PackedLeases): Lease[] {
  return unpackTasks(tasks).map((task, i) => ({
    task,
    token: tokens[i] ?? '',
    until: untils[i] ?? 0,
    policy: policies[i] as SettlePolicy,
  }));
}
