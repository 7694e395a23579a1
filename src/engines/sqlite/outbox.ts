// What a transition tells to subscribers. Events wait in the store until their transaction is committed.
import type { Instant, TaskStatus } from '../../core/task.ts';
import type { EventType, TaskEvent } from '../../engine/records.ts';
import type { Store } from './store.ts';
import { attemptOf, type TaskRow } from './task-row.ts';

const EVENT_OF = {
  queued: 'TASK_QUEUED',
  running: 'TASK_STARTED',
  scheduled: 'TASK_SCHEDULED',
  retrying: 'TASK_RETRY_SCHEDULED',
  succeeded: 'TASK_SUCCEEDED',
  failed: 'TASK_FAILED',
  dead_lettered: 'TASK_DEAD_LETTERED',
  cancelled: 'TASK_CANCELLED',
  expired: 'TASK_EXPIRED',
} as const satisfies Record<TaskStatus, EventType>;

interface About {
  readonly at: Instant;
  readonly workerId?: string | null;
  readonly details?: TaskEvent['details'];
}

export function tell(store: Store, type: EventType, task: TaskRow, about: About): void {
  if (!store.wantsEvents) return;
  store.events.push({
    type,
    at: about.at,
    taskId: task.id,
    queue: task.queue.name,
    taskType: task.type,
    attempt: attemptOf(task),
    workerId: about.workerId ?? null,
    details: about.details ?? {},
  });
}

/** The event of having come into the present status. */
export function tellStatus(
  store: Store,
  task: TaskRow,
  about: { readonly at: Instant; readonly workerId?: string | null; readonly retryDelayMs?: number | null },
): void {
  if (!store.wantsEvents) return;
  const { at, workerId = null, retryDelayMs = null } = about;
  tell(store, EVENT_OF[task.status], task, { at, workerId, details: detailsOf(task, retryDelayMs) });
}

export function tellQueue(
  store: Store,
  type: EventType,
  queue: string,
  about: Required<Omit<About, 'workerId'>>,
) {
  if (!store.wantsEvents) return;
  const none = { taskId: null, taskType: null, attempt: null, workerId: null };
  store.events.push({ type, at: about.at, queue, details: about.details, ...none });
}

function detailsOf(task: TaskRow, retryDelayMs: number | null): TaskEvent['details'] {
  if (task.status === 'scheduled') return { available_at: task.availableAt };
  if (task.status === 'retrying') return { available_at: task.availableAt, retry_delay_ms: retryDelayMs };
  if (task.status === 'dead_lettered') return { reason: task.deadReason };
  if (task.status === 'cancelled') return { reason: task.cancelReason };
  return {};
}
