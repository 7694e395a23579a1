// A task's row as the thread works on it, and how it is read and written. It shows the task as every reader sees it:
// a live lease makes it running, an older epoch makes a waiting one purged (see sql/001-tasks.sql).
import type { CancelReason, DeadLetterReason, Instant, TaskStatus } from '../../core/task.ts';
import type { Line, ReadyRow } from './lines.ts';
import { isWaiting, type QueueState } from './queue-state.ts';

export interface LeaseRow {
  token: number;
  nonce: string;
  readonly worker: string;
  readonly startedAt: Instant;
  until: Instant;
  request: number | null;
  progress: string | null;
  lossTold: boolean;
}

export interface TaskRow {
  readonly seq: number;
  readonly id: string;
  readonly queue: QueueState;
  readonly type: string;
  readonly priority: number;
  readonly tenant: string;
  readonly bytes: number;
  readonly createdAt: Instant;
  key: number | null;
  status: TaskStatus;
  epoch: number;
  generation: number;
  deliveries: number;
  givenBack: number;
  losses: number;
  token: number;
  line: number | null;
  pos: number | null;
  availableAt: Instant;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  retainFrom: Instant | null;
  expiresAt: Instant | null;
  unknownSince: Instant | null;
  cancelAsked: boolean;
  cancelReason: CancelReason | null;
  deadReason: DeadLetterReason | null;
  deadAt: Instant | null;
  inDlq: boolean;
  /** JSON texts. */
  progress: string | null;
  lastError: string | null;
  history: string | null;
  lease: LeaseRow | null;
  /** Purged, and its row does not say so yet. */
  unswept: boolean;
}

/** By number, as stored. */
export const STATUS_NAMES: readonly TaskStatus[] = [
  'scheduled',
  'queued',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'dead_lettered',
  'cancelled',
  'expired',
];
export const STATUS_NUMBERS = Object.fromEntries(
  STATUS_NAMES.map((name, number) => [name, number]),
) as Readonly<Record<TaskStatus, number>>;

/** What `readTaskRow` reads, in its order; `t` are tasks, `l` leases. */
export const TASK_COLUMNS = `t.seq, t.id, t.queue, t.type, t.priority, t.tenant, t.bytes, t.created_at, t.key, t.status,
  t.epoch, t.generation, t.deliveries, t.given_back, t.losses, t.token, t.line, t.pos, t.available_at, t.started_at,
  t.finished_at, t.retain_from, t.expires_at, t.unknown_since, t.cancel_asked, t.cancel_reason, t.dead_reason, t.dead_at,
  t.in_dlq, t.progress, t.last_error, t.history`;
export const LEASE_COLUMNS =
  'l.token, l.nonce, l.worker, l.started_at, l.until, l.request, l.progress, l.loss_told';
export const BODY_COLUMNS =
  'b.client, b.key_name, b.ttl_ms, b.max_attempts, b.timeout_ms, b.rest, b.metadata, b.payload';
/** Where the body begins in a row of queuedBySeq. */
export const QUEUED_BODY_FROM = 13;
const LEASE_FROM = TASK_COLUMNS.split(',').length;

type Row = readonly (number | string | null)[];

export function readTaskRow(row: Row, queueOf: (number: number) => QueueState): TaskRow {
  const task = storedTask(row, queueOf(row[2] as number));
  const { queue } = task;
  if (typeof row[LEASE_FROM] === 'number') return leased(task, readLease(row));
  if (task.epoch < queue.epoch && isWaiting(task.status)) return purged(task);
  return task;
}

function storedTask(row: Row, queue: QueueState): TaskRow {
  return {
    seq: row[0] as number,
    id: row[1] as string,
    queue,
    type: row[3] as string,
    priority: row[4] as number,
    tenant: row[5] as string,
    bytes: row[6] as number,
    createdAt: row[7] as number,
    key: row[8] as number | null,
    status: STATUS_NAMES[row[9] as number] ?? 'failed',
    epoch: row[10] as number,
    generation: row[11] as number,
    deliveries: row[12] as number,
    givenBack: row[13] as number,
    losses: row[14] as number,
    token: row[15] as number,
    line: row[16] as number | null,
    pos: row[17] as number | null,
    availableAt: row[18] as number,
    startedAt: row[19] as number | null,
    finishedAt: row[20] as number | null,
    retainFrom: row[21] as number | null,
    expiresAt: row[22] as number | null,
    unknownSince: row[23] as number | null,
    cancelAsked: row[24] === 1,
    cancelReason: row[25] as CancelReason | null,
    deadReason: row[26] as DeadLetterReason | null,
    deadAt: row[27] as number | null,
    inDlq: row[28] === 1,
    progress: row[29] as string | null,
    lastError: row[30] as string | null,
    history: row[31] as string | null,
    lease: null,
    unswept: false,
  };
}

/** From a row of queuedBySeq and the task's place: what the reader of a line knows is not read again. */
export function readQueued(
  row: Row,
  place: {
    readonly queue: QueueState;
    readonly line: Line;
    readonly head: ReadyRow;
  },
): TaskRow {
  const { queue, line, head } = place;
  return {
    seq: head.seq,
    id: row[0] as string,
    queue,
    type: row[1] as string,
    priority: line.priority,
    tenant: line.tenant,
    bytes: row[2] as number,
    createdAt: row[3] as number,
    key: row[4] as number | null,
    status: 'queued',
    epoch: queue.epoch,
    generation: row[5] as number,
    deliveries: head.deliveries,
    givenBack: row[6] as number,
    losses: row[7] as number,
    token: row[8] as number,
    line: line.id,
    pos: head.pos,
    availableAt: head.availableAt,
    startedAt: row[9] as number | null,
    finishedAt: null,
    retainFrom: null,
    expiresAt: head.expiresAt,
    unknownSince: row[10] as number | null,
    cancelAsked: false,
    cancelReason: null,
    deadReason: null,
    deadAt: null,
    inDlq: false,
    progress: null,
    lastError: row[11] as string | null,
    history: row[12] as string | null,
    lease: null,
    unswept: false,
  };
}

function readLease(row: Row): LeaseRow {
  return {
    token: row[LEASE_FROM] as number,
    nonce: row[LEASE_FROM + 1] as string,
    worker: row[LEASE_FROM + 2] as string,
    startedAt: row[LEASE_FROM + 3] as number,
    until: row[LEASE_FROM + 4] as number,
    request: row[LEASE_FROM + 5] as number | null,
    progress: row[LEASE_FROM + 6] as string | null,
    lossTold: row[LEASE_FROM + 7] === 1,
  };
}

/** The task while its lease lives: one delivery more than its row has settled. */
export function leased(task: TaskRow, lease: LeaseRow): TaskRow {
  task.lease = lease;
  task.status = 'running';
  task.deliveries += 1;
  task.startedAt ??= lease.startedAt;
  task.progress = lease.progress;
  task.token = lease.token;
  return task;
}

function purged(task: TaskRow): TaskRow {
  task.unswept = true;
  task.status = 'cancelled';
  task.cancelReason = 'purged';
  task.finishedAt = task.queue.purges.get(task.epoch) ?? null;
  task.unknownSince = null;
  return task;
}

export function attemptOf(task: TaskRow): number {
  return task.deliveries - task.givenBack;
}

export const UPDATE_TASK = `UPDATE tasks SET key = ?, status = ?, epoch = ?, generation = ?, deliveries = ?,
  given_back = ?, losses = ?, token = ?, line = ?, pos = ?, available_at = ?, started_at = ?, finished_at = ?,
  retain_from = ?, expires_at = ?, unknown_since = ?, cancel_asked = ?, cancel_reason = ?, dead_reason = ?, dead_at = ?,
  in_dlq = ?, progress = ?, last_error = ?, history = ? WHERE seq = ?`;

/** The parameters of UPDATE_TASK. Not for a running or an unswept task: what they show is not what is stored. */
export function updateParams(task: TaskRow): (number | string | null)[] {
  return [
    task.key,
    STATUS_NUMBERS[task.status],
    task.epoch,
    task.generation,
    task.deliveries,
    task.givenBack,
    task.losses,
    task.token,
    task.line,
    task.pos,
    task.availableAt,
    task.startedAt,
    task.finishedAt,
    task.retainFrom,
    task.expiresAt,
    task.unknownSince,
    task.cancelAsked ? 1 : 0,
    task.cancelReason,
    task.deadReason,
    task.deadAt,
    task.inDlq ? 1 : 0,
    task.progress,
    task.lastError,
    task.history,
    task.seq,
  ];
}
