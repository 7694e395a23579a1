// The one table of a task's transitions. Engines, the model and the conformance suite derive from it;
// ARCHITECTURE.md draws it. `null` stands for a task that is not there.
import type { TaskStatus } from './task.ts';

export type TransitionEvent =
  | 'submit_due'
  | 'submit_delayed'
  | 'promote'
  | 'reserve'
  | 'poison'
  | 'succeed'
  | 'retry'
  | 'give_up'
  | 'defer'
  | 'release'
  | 'lease_lost'
  | 'stop'
  | 'cancel'
  | 'purge'
  | 'expire'
  | 'redrive'
  | 'discard'
  | 'prune';

export interface Transition {
  readonly from: TaskStatus | null;
  readonly event: TransitionEvent;
  readonly to: TaskStatus | null;
}

const rows = (
  froms: readonly (TaskStatus | null)[],
  event: TransitionEvent,
  tos: readonly (TaskStatus | null)[],
): Transition[] => froms.flatMap((from) => tos.map((to) => ({ from, event, to })));

const WAITING = ['scheduled', 'queued', 'retrying'] as const;
const FINAL = ['succeeded', 'failed', 'dead_lettered', 'cancelled', 'expired'] as const;

export const TRANSITIONS: readonly Transition[] = [
  ...rows([null], 'submit_due', ['queued']),
  ...rows([null], 'submit_delayed', ['scheduled']),
  ...rows(['scheduled', 'retrying'], 'promote', ['queued']),
  ...rows(['queued'], 'reserve', ['running']),
  /** Reserved MAX_DELIVERIES times already. */
  ...rows(['queued'], 'poison', ['dead_lettered', 'failed']),
  ...rows(['running'], 'succeed', ['succeeded']),
  ...rows(['running'], 'retry', ['retrying']),
  /** Permanent failure, attempts or lease losses spent, unknown type for too long. */
  ...rows(['running'], 'give_up', ['dead_lettered', 'failed']),
  ...rows(['running'], 'defer', ['scheduled']),
  ...rows(['running'], 'release', ['queued']),
  ...rows(['running'], 'lease_lost', ['queued']),
  /** Any settlement or lease loss after a cancel was asked for. */
  ...rows(['running'], 'stop', ['cancelled']),
  ...rows(WAITING, 'cancel', ['cancelled']),
  ...rows(WAITING, 'purge', ['cancelled']),
  ...rows([...WAITING, 'running'], 'expire', ['dead_lettered', 'expired']),
  ...rows(['dead_lettered'], 'redrive', ['queued']),
  /** It leaves the DLQ; the record stays. */
  ...rows(['dead_lettered'], 'discard', ['dead_lettered']),
  ...rows(FINAL, 'prune', [null]),
];

const legal = new Set<string>();
const key = (from: TaskStatus | null, event: TransitionEvent, to: TaskStatus | null) =>
  `${from}>${event}>${to}`;
for (const { from, event, to } of TRANSITIONS) legal.add(key(from, event, to));

/** True where the table has this row. */
export function isLegal(from: TaskStatus | null, event: TransitionEvent, to: TaskStatus | null): boolean {
  return legal.has(key(from, event, to));
}

/** The events that may happen to a task in this state. */
export function eventsOf(from: TaskStatus | null): TransitionEvent[] {
  return [...new Set(TRANSITIONS.filter((row) => row.from === from).map((row) => row.event))];
}
