// What a transition tells to subscribers. Events wait in the state until the call that made them has ended.
import type { Instant, Task } from '../../core/task.ts';
import type { EventType, TaskEvent } from '../../engine/records.ts';
import type { State } from './state.ts';

export function tell(
  state: State,
  type: EventType,
  task: Task,
  about: {
    readonly at: Instant;
    readonly workerId?: string | null;
    readonly details?: TaskEvent['details'];
  },
): void {
  state.events.push({
    type,
    at: about.at,
    taskId: task.id,
    queue: task.queue,
    taskType: task.type,
    attempt: task.attempt,
    workerId: about.workerId ?? null,
    details: about.details ?? {},
  });
}

export function tellQueue(
  state: State,
  type: EventType,
  queue: string,
  about: { readonly at: Instant; readonly details: TaskEvent['details'] },
): void {
  state.events.push({
    type,
    at: about.at,
    taskId: null,
    queue,
    taskType: null,
    attempt: null,
    workerId: null,
    details: about.details,
  });
}

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
} as const satisfies Record<Task['status'], EventType>;

/** The event of having come into the present status. */
export function tellStatus(state: State, task: Task, at: Instant, workerId: string | null = null): void {
  tell(state, EVENT_OF[task.status], task, { at, workerId, details: detailsOf(task) });
}

function detailsOf(task: Task): TaskEvent['details'] {
  switch (task.status) {
    case 'scheduled':
      return { available_at: task.availableAt };
    case 'retrying':
      return {
        available_at: task.availableAt,
        retry_delay_ms: task.attempts.at(-1)?.retryDelayMs ?? null,
      };
    case 'dead_lettered':
      return { reason: task.deadLetter?.reason ?? null };
    case 'cancelled':
      return { reason: task.cancelReason };
    default:
      return {};
  }
}
