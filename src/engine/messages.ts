// What goes in and out of the port's task calls. Shapes only; all times are Instants on the store's clock.
import type { Settled } from '../core/decision.ts';
import type { SettlePolicy } from '../core/settings.ts';
import type { Instant, Progress, Task, TaskSpec, TaskStatus } from '../core/task.ts';

/** When a call happens and on whose behalf: every call carries both. */
export interface Call {
  readonly at: Instant;
  /** An API key's stable name, or `anonymous`. */
  readonly principal: string;
}

export interface NewTask extends TaskSpec {
  /** A UUIDv7 whose last 24 bits are zero (core/id): the engine stamps queue number and shard. */
  readonly id: string;
  /** null: due at once. */
  readonly runAt: Instant | null;
  /** With an idempotency key: its fingerprint (hex SHA-256) and until when the key is held at least. */
  readonly fingerprint: string | null;
  readonly keyHeldUntil: Instant | null;
  /** A held turn to redeem (load leveling); engines without turns ignore it. */
  readonly turn?: string;
}

type CountLimit = 'max_depth' | 'max_bytes' | 'max_scheduled' | 'reserved_share';

export interface FullResult {
  readonly outcome: 'full';
  readonly limitName: CountLimit;
  /** What was counted against the limit: depth, bytes, or scheduled + retrying. */
  readonly depth: number;
  readonly limit: number;
  readonly turn?: string;
  readonly dueAt?: Instant;
}

export type SubmitResult =
  | {
      readonly outcome: 'created';
      readonly id: string;
      readonly status: 'queued' | 'scheduled';
      /** Queued tasks of the same or a higher priority ahead (an estimate); null for a scheduled task. */
      readonly position: number | null;
      readonly depth: number;
      readonly limit: number;
    }
  /** Same key, same fingerprint: the first task, with its present (or, when pruned, last) status. */
  | { readonly outcome: 'duplicate'; readonly id: string; readonly status: TaskStatus }
  /** Same key, other fingerprint. */
  | { readonly outcome: 'conflict'; readonly id: string }
  | FullResult
  | { readonly outcome: 'tenant_full'; readonly depth: number; readonly limit: number }
  /** A 65,536th queue. */
  | { readonly outcome: 'queue_limit' };

export interface ReplayQuery {
  readonly queue: string;
  readonly client: string;
  readonly key: string;
  readonly fingerprint: string;
}

export interface ReserveRequest {
  readonly workerId: string;
  /** Made by the worker, unguessable; the same id answers the same leases until the last of them ends. */
  readonly requestId: string;
  /** Makes the tokens unguessable; random per request. */
  readonly nonce: string;
  /** First listed, first asked; `max` is shared out by weight, then filled from whoever has more. */
  readonly queues: readonly { readonly name: string; readonly weight: number }[];
  /** 1..100 */
  readonly max: number;
  /** null: the queue's lease_ms. */
  readonly leaseMs: number | null;
}

export interface Lease {
  readonly task: Task;
  /** `<n>.<nonce>`: n strictly rises per task; compare as a whole. */
  readonly token: string;
  readonly until: Instant;
  readonly policy: SettlePolicy;
}

export interface ReserveReply {
  readonly leases: readonly Lease[];
  /** When something in these queues may become reservable without a wake (due, rate, lease end); null: unknown. */
  readonly nextDueAt: Instant | null;
}

export interface Extend {
  readonly id: string;
  readonly token: string;
  /** The lease then ends at call.at + leaseMs. */
  readonly leaseMs: number;
  readonly progress?: Progress;
}

/** `cancel_requested`: extended, and the handler should stop. */
export type ExtendResult = 'extended' | 'cancel_requested' | 'lease_lost';

export interface Settlement {
  readonly id: string;
  readonly token: string;
  readonly workerId: string;
  readonly startedAt: Instant;
  readonly settled: Settled;
}

export interface SettleResult {
  readonly outcome: 'settled' | 'already_settled' | 'lease_lost';
  /** The task's status now (a cancel may have overridden the decision); null: no such task. */
  readonly status: TaskStatus | null;
}

export interface PassReply {
  /** Items acted on. `limit` reached means: call again now. */
  readonly done: number;
  /** When the next item comes due; null: none known. */
  readonly nextAt: Instant | null;
}

export interface PruneReply extends PassReply {
  /** `input.path` of the records that went: their files are the caller's to delete. Absent: none. */
  readonly files?: readonly string[];
}

export interface ReapReply {
  /** The tasks as they are, leased to the reaper; `lostBy` names the worker whose lease ran out. */
  readonly leases: readonly (Lease & { readonly lostBy: string; readonly startedAt: Instant })[];
  readonly nextAt: Instant | null;
}

/** `requested`: it runs; it ends cancelled whatever its handler returns. */
export type CancelResult = 'cancelled' | 'requested' | 'finished' | 'not_found';

export interface RedrivePick {
  readonly ids: readonly string[];
}

export type RedriveResult =
  | { readonly outcome: 'redriven'; readonly generation: number }
  | { readonly outcome: 'not_found' }
  | FullResult
  | { readonly outcome: 'tenant_full'; readonly depth: number; readonly limit: number };
