// A queue as the wire shows it (API section 5): exact counts, and the one rate that is measured.
import type { Instant } from '../../core/task.ts';
import type { PauseState, QueueLoad, WorkerRecord } from '../../engine/records.ts';
import { time } from './json.ts';
import { workerStatus } from './worker.ts';

/** A line of the listing of queues. */
export function queueSummary(load: QueueLoad, at: Instant) {
  const { totals, queued, running, settings, oldestAvailableAt } = load;
  const depth = queued + running;
  return {
    queue: load.queue,
    totals: {
      accepted: totals.accepted,
      succeeded: totals.succeeded,
      failed: totals.failed,
      dead_lettered: totals.dead_lettered,
      cancelled: totals.cancelled,
      expired: totals.expired,
      redriven: totals.redriven,
    },
    depth,
    queued,
    running,
    scheduled: load.scheduled,
    retrying: load.retrying,
    dead_lettered: load.deadLettered,
    bytes: load.bytes,
    limit: settings.maxDepth,
    paused: load.paused !== null,
    saturated: depth >= settings.maxDepth,
    oldest_age_ms: oldestAvailableAt === null ? null : Math.max(0, at - oldestAvailableAt),
  };
}

/** What is known of a queue besides its load. */
interface QueueSeen {
  /** All workers of the store. */
  readonly workers: readonly WorkerRecord[];
  /** Tasks that this server saw end, per second, over the last 10 s. */
  readonly completionPerS: number;
}

/** One queue, with the workers that serve it. */
export function queueView(load: QueueLoad, { workers, completionPerS }: QueueSeen, at: Instant) {
  const serving = workers.filter(
    (worker) => worker.queues.includes(load.queue) && isLive(workerStatus(worker, at)),
  );
  return {
    ...queueSummary(load, at),
    by_priority: load.byPriority,
    workers: serving.length,
    slots: serving.reduce((sum, { slots }) => sum + slots, 0),
    completion_per_s: { '10s': Math.round(completionPerS * 1_000) / 1_000 },
  };
}

export function pauseView(queue: string, paused: PauseState | null) {
  return {
    queue,
    paused: paused !== null,
    since: paused && time(paused.since),
    by: paused?.by ?? null,
    reason: paused?.reason ?? null,
  };
}

function isLive(status: ReturnType<typeof workerStatus>): boolean {
  return status !== 'stopped' && status !== 'stale';
}
