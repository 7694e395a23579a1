// The parts of the server's answers that commands look at.

export interface TaskView {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly status: string;
  readonly priority: number;
  readonly tenant: string;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly created_at: string;
  readonly available_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly progress: { readonly percent: number; readonly message: string } | null;
  readonly result: unknown;
  readonly last_error: { readonly name: string; readonly message: string } | null;
  readonly dead_letter: { readonly reason: string; readonly at: string } | null;
  readonly cancel_reason: string | null;
  readonly generation: number;
}

export interface Accepted {
  readonly task_id: string;
  readonly status: string;
  readonly queue: string;
  readonly position: number | null;
  readonly duplicate?: boolean;
}

export interface PageView<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

export interface Totals {
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dead_lettered: number;
  readonly cancelled: number;
  readonly expired: number;
  readonly redriven: number;
}

export interface QueueView {
  readonly queue: string;
  readonly totals: Totals;
  readonly depth: number;
  readonly queued: number;
  readonly running: number;
  readonly scheduled: number;
  readonly retrying: number;
  readonly dead_lettered: number;
  readonly bytes: number;
  readonly limit: number;
  readonly paused: boolean;
  readonly saturated: boolean;
  readonly oldest_age_ms: number | null;
}

export interface SystemView {
  readonly pending: number;
  readonly max_pending: number;
  readonly saturated: boolean;
  readonly queues: readonly QueueView[];
  readonly next_cursor: string | null;
}

const FINAL = new Set(['succeeded', 'failed', 'dead_lettered', 'cancelled', 'expired']);

export function isFinalView(task: Pick<TaskView, 'status'>): boolean {
  return FINAL.has(task.status);
}
