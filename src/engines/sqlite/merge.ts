// Passes over all queues: the time lists are kept per queue, so the earliest of all is found by merging their fronts.
import type { Instant } from '../../core/task.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';
import type { Timed, TimeList } from './time-list.ts';

type ListOf = (queue: QueueState) => number;

/** The first `limit` entries of all queues that are not after `at`, earliest first, ties by seq. */
export function upToOverall(
  { state }: Store,
  list: TimeList,
  ask: { readonly listOf: ListOf; readonly at: Instant; readonly limit: number },
): Timed[] {
  const due: Timed[] = [];
  for (const queue of state.byNumber) due.push(...list.upTo(ask.listOf(queue), ask.at, ask.limit));
  return due.sort((a, b) => a.at - b.at || a.seq - b.seq).slice(0, ask.limit);
}

/** The earliest time in any queue's list. */
export function firstOverall({ state }: Store, list: TimeList, listOf: ListOf): Instant | null {
  let first: Instant | null = null;
  for (const queue of state.byNumber) {
    const at = list.first(listOf(queue));
    if (at !== null && (first === null || at < first)) first = at;
  }
  return first;
}
