// How an action of a person is written down. The action is done by then and stays done: where the store does not take the
// entry, the log has it.
import { type AppParts, callOf } from './context.ts';

export interface Action {
  readonly action:
    | 'queue.pause'
    | 'queue.resume'
    | 'queue.purge'
    | 'queue.settings'
    | 'dlq.redrive'
    | 'dlq.discard'
    | 'dlq.purge';
  readonly queue: string | null;
  /** The task that it was done to. */
  readonly target?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export async function audited(parts: AppParts, done: Action): Promise<void> {
  const call = callOf(parts);
  const { action, queue, target = null, details = {} } = done;
  const entry = { at: call.at, principal: call.principal, action, queue, target, details };
  try {
    await parts.engine.audit.append([entry], call);
  } catch (error) {
    parts.log.error({ err: error, audit: entry }, 'the audit did not take an entry');
  }
}
