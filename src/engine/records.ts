// What a store keeps and shows besides single task calls: loads, queries, settings, workers, audit, events.
import type { QueueSettings, SettingsPatch } from '../core/settings.ts';
import type { DeadLetterReason, FinalStatus, Instant, TaskStatus } from '../core/task.ts';

/** Keyset page: `next` goes into the following query's cursor; a page may be short and still have one. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Newest first. A cursor of another query's shape is refused with INVALID_CURSOR. */
export interface TaskQuery {
  readonly queue?: string;
  readonly status?: TaskStatus;
  readonly type?: string;
  readonly tenant?: string;
  /** 1..200 */
  readonly limit: number;
  readonly cursor: string | null;
}

export interface DeadQuery {
  readonly queue?: string;
  readonly type?: string;
  readonly reason?: DeadLetterReason;
  readonly limit: number;
  readonly cursor: string | null;
}

export interface PauseState {
  readonly since: Instant;
  readonly by: string;
  readonly reason: string | null;
}

/** Exact figures of one queue at one moment. */
export interface QueueLoad {
  readonly queue: string;
  /** The store's number for the queue, as in its tasks' ids. */
  readonly number: number;
  readonly totals: Readonly<Record<FinalStatus | 'accepted' | 'redriven', number>>;
  readonly queued: number;
  readonly running: number;
  readonly scheduled: number;
  readonly retrying: number;
  /** Letters in the DLQ now (totals.dead_lettered counts all that ever went there). */
  readonly deadLettered: number;
  readonly dlqDropped: number;
  readonly bytes: number;
  /** Queued tasks by priority, index 0..9. */
  readonly byPriority: readonly number[];
  /** available_at of the oldest queued task. */
  readonly oldestAvailableAt: Instant | null;
  readonly epoch: number;
  readonly paused: PauseState | null;
  readonly settings: QueueSettings;
  readonly overrides: Partial<QueueSettings>;
  readonly settingsVersion: number;
}

export interface ConfigureChange {
  readonly queue: string;
  readonly patch?: SettingsPatch;
  /** With a patch: refuse with `changed` unless the version is this one. */
  readonly ifVersion?: number;
  /** null resumes; absent leaves it. Pausing a paused queue keeps the first pause. */
  readonly pause?: { readonly by: string; readonly reason: string | null } | null;
}

export type ConfigureResult =
  | {
      readonly outcome: 'configured';
      readonly settings: QueueSettings;
      readonly overrides: Partial<QueueSettings>;
      readonly version: number;
      readonly paused: PauseState | null;
    }
  | { readonly outcome: 'changed'; readonly version: number }
  | { readonly outcome: 'queue_limit' };

export type WorkerStatus = 'starting' | 'ready' | 'busy' | 'draining' | 'stopped';

export interface WorkerBeat {
  readonly workerId: string;
  readonly status: WorkerStatus;
  readonly slots: number;
  readonly running: number;
  /** Share of one core, 0..; null unknown. */
  readonly cpu: number | null;
  readonly loopDelayMs: number | null;
  readonly version: string;
  readonly queues: readonly string[];
  /** Task types that this worker can handle. */
  readonly types: readonly string[];
}

export interface WorkerRecord extends WorkerBeat {
  readonly startedAt: Instant;
  readonly lastBeatAt: Instant;
}

export interface AuditEntry {
  readonly at: Instant;
  readonly principal: string;
  readonly action: string;
  readonly queue: string | null;
  readonly target: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

const EVENT_TYPES = [
  'TASK_SCHEDULED',
  'TASK_QUEUED',
  'TASK_STARTED',
  'TASK_PROGRESS',
  'TASK_SUCCEEDED',
  'TASK_FAILED',
  'TASK_RETRY_SCHEDULED',
  'TASK_DEAD_LETTERED',
  'TASK_CANCELLED',
  'TASK_EXPIRED',
  'DUPLICATE_ABSORBED',
  'LEASE_LOST',
  'WORKER_STARTED',
  'WORKER_STOPPED',
  'WORKER_STALE',
  'QUEUE_PAUSED',
  'QUEUE_RESUMED',
  'QUEUE_PURGED',
  'QUEUE_SATURATED',
  'QUEUE_RELIEVED',
  'SETTINGS_CHANGED',
  'DLQ_DROPPED',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** A committed fact. Its id is given by whoever sends it on. */
export interface TaskEvent {
  readonly type: EventType;
  readonly at: Instant;
  readonly taskId: string | null;
  readonly queue: string | null;
  readonly taskType: string | null;
  readonly attempt: number | null;
  readonly workerId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}
