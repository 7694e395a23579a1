// How a task that waits comes to its end, and what a final decision means for its record.
import type { Decision } from '../../core/decision.ts';
import type { Instant, Task } from '../../core/task.ts';
import { finish } from './moves.ts';
import type { Entry, State } from './state.ts';

type FinalDecision = Extract<Decision, { to: 'succeeded' | 'dead_lettered' | 'failed' | 'expired' }>;

/** The record with a final decision written into it. */
export function ended(task: Task, decision: FinalDecision, at: Instant): Task {
  const error = decision.to === 'succeeded' ? null : decision.error;
  const dead = decision.to === 'dead_lettered';
  return {
    ...task,
    status: decision.to,
    finishedAt: at,
    unknownSince: null,
    result: decision.to === 'succeeded' ? decision.result : null,
    lastError: error ?? task.lastError,
    deadLetter: dead ? { reason: decision.reason, at } : null,
    inDlq: dead,
  };
}

/** Expired or poison, without ever being leased for it. */
export function endWaiting(state: State, entry: Entry, decision: FinalDecision, at: Instant): void {
  finish(state, entry, { task: ended(entry.task, decision, at), at, workerId: null });
}
