// What the end of a task means for its row.
import type { Decision } from '../../core/decision.ts';
import type { CancelReason, Instant } from '../../core/task.ts';
import { finish, leave } from './moves.ts';
import type { Store } from './store.ts';
import type { TaskRow } from './task-row.ts';

export type FinalDecision = Extract<Decision, { to: 'succeeded' | 'dead_lettered' | 'failed' | 'expired' }>;

/** Expired or poison, without ever being leased for it. */
export function endWaiting(store: Store, task: TaskRow, decision: FinalDecision, at: Instant): void {
  leave(store, task);
  end(store, task, decision, { at, workerId: null });
}

interface About {
  readonly at: Instant;
  readonly workerId: string | null;
}

/** Writes a final decision into a task that has left its former lists. */
export function end(store: Store, task: TaskRow, decision: FinalDecision, about: About): void {
  if (decision.to === 'succeeded') {
    finish(store, task, 'succeeded', { ...about, result: decision.result });
    return;
  }
  if (decision.error) task.lastError = JSON.stringify(decision.error);
  if (decision.to === 'dead_lettered') {
    task.deadReason = decision.reason;
    task.deadAt = about.at;
    task.inDlq = true;
  }
  finish(store, task, decision.to, about);
}

/** Writes a cancel into a task that has left its former lists. */
export function endCancelled(store: Store, task: TaskRow, reason: CancelReason, about: About): void {
  task.cancelReason = reason;
  finish(store, task, 'cancelled', about);
}
