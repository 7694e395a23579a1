// Count admission: which bound of a queue refuses a new task. Exact; run inside the store's atomic step.
import type { QueueSettings } from './settings.ts';

/** The counters that the bounds look at. */
export interface CountLoad {
  readonly queued: number;
  readonly running: number;
  /** scheduled + retrying */
  readonly waitingForTime: number;
  readonly bytes: number;
  /** Depth (queued + running) of the asking tenant. */
  readonly tenantDepth: number;
}

export interface CountAsk {
  readonly delayed: boolean;
  readonly priority: number;
  readonly bytes: number;
}

export type CountRefusal =
  | {
      readonly outcome: 'full';
      readonly limitName: 'max_depth' | 'max_bytes' | 'max_scheduled' | 'reserved_share';
      readonly depth: number;
      readonly limit: number;
    }
  | { readonly outcome: 'tenant_full'; readonly depth: number; readonly limit: number };

/** The first bound hit in the contract's order, or null: admitted. Delayed work is not in depth, so only bytes bind it too. */
export function countRefusal(load: CountLoad, settings: QueueSettings, ask: CountAsk): CountRefusal | null {
  const { maxScheduled, tenantMaxDepth, maxBytes, maxDepth } = settings;
  if (ask.delayed && load.waitingForTime >= maxScheduled) {
    return { outcome: 'full', limitName: 'max_scheduled', depth: load.waitingForTime, limit: maxScheduled };
  }
  if (!ask.delayed && tenantMaxDepth !== null && load.tenantDepth >= tenantMaxDepth) {
    return { outcome: 'tenant_full', depth: load.tenantDepth, limit: tenantMaxDepth };
  }
  if (maxBytes !== null && load.bytes + ask.bytes > maxBytes) {
    return { outcome: 'full', limitName: 'max_bytes', depth: load.bytes, limit: maxBytes };
  }
  if (ask.delayed) return null;
  const depth = load.queued + load.running;
  if (depth >= maxDepth) return { outcome: 'full', limitName: 'max_depth', depth, limit: maxDepth };
  const open = unreservedDepth(settings, ask.priority);
  if (depth >= open) return { outcome: 'full', limitName: 'reserved_share', depth, limit: open };
  return null;
}

/** The depth up to which this priority may fill the queue. */
export function unreservedDepth(settings: QueueSettings, priority: number): number {
  const { reservedShare, maxDepth } = settings;
  if (reservedShare === null || priority >= reservedShare.minPriority) return maxDepth;
  // 100 x 0.29 is 28.999999999999996 in doubles, and means 29.
  return maxDepth - Math.floor(maxDepth * reservedShare.share + 1e-6);
}

/** Queued tasks that run before a newcomer of this priority, lanes taken as strict: an estimate. */
export function positionOf(queuedByPriority: readonly number[], priority: number): number {
  let ahead = 0;
  for (let p = priority; p < queuedByPriority.length; p += 1) ahead += queuedByPriority[p] ?? 0;
  return ahead;
}
