// THE PORT: what a store must do for Sluice, and nothing else. Batch-first, positional, fenced, bounded, time injected.
//
// Rules (each has chapters in src/conformance):
// 1. Same length, same order; [] in, [] out without I/O. Per-item outcomes are data; a thrown EngineError speaks of the whole call.
// 2. Engines store decisions, they do not make them. What only the store can count is checked there, atomically.
// 3. Extend and settle are fenced by a lease token that strictly rises per task.
// 4. Time is injected with each call; no engine reads a clock but in `now()`.
// 5. Every pass is bounded by a limit and says when to come back.
// The messages are in messages.ts and records.ts. Ports for later features are added as grouped, optional members.

import type { Instant, Task } from '../core/task.ts';
import type { Capabilities } from './capabilities.ts';
import type {
  Call,
  CancelResult,
  Extend,
  ExtendResult,
  NewTask,
  PassReply,
  PruneReply,
  ReapReply,
  RedrivePick,
  RedriveResult,
  ReplayQuery,
  ReserveReply,
  ReserveRequest,
  Settlement,
  SettleResult,
  SubmitResult,
} from './messages.ts';
import type {
  AuditEntry,
  ConfigureChange,
  ConfigureResult,
  DeadQuery,
  Page,
  QueueLoad,
  TaskEvent,
  TaskQuery,
  WorkerBeat,
  WorkerRecord,
} from './records.ts';

/** Takes a subscription back. Safe to call twice. */
export type Unsubscribe = () => Promise<void>;

export interface Engine {
  readonly name: string;
  readonly capabilities: Capabilities;

  open(): Promise<void>;
  /** Resolves when nothing is in flight any more; calls made after it are refused with CLOSED. */
  close(): Promise<void>;
  /** The store's clock; read only to calibrate a process' own. */
  now(): Promise<Instant>;
  /** A write that leaves nothing behind, of the kind that every submit needs: throws where the store takes none. */
  probe(call: Call): Promise<void>;

  submit(batch: readonly NewTask[], call: Call): Promise<readonly SubmitResult[]>;
  /** Looks keys up without claiming them: what a submit with this key would be answered, or null where it would go on. */
  replay(batch: readonly ReplayQuery[], call: Call): Promise<readonly (SubmitResult | null)[]>;
  reserve(want: ReserveRequest, call: Call): Promise<ReserveReply>;
  extend(batch: readonly Extend[], call: Call): Promise<readonly ExtendResult[]>;
  settle(batch: readonly Settlement[], call: Call): Promise<readonly SettleResult[]>;

  /** Due scheduled and retrying tasks go to the tail of their lines, earliest due first. */
  promote(limit: number, call: Call): Promise<PassReply>;
  /** Re-leases expired work to the caller, who decides (core) and settles with `lease_lost`. */
  reap(
    want: {
      readonly reaperId: string;
      readonly max: number;
      readonly leaseMs: number;
      readonly nonce: string;
    },
    call: Call,
  ): Promise<ReapReply>;
  /** Waiting tasks past their time to live, anywhere in the queue. */
  expire(limit: number, call: Call): Promise<PassReply>;
  /** Finished records past retention, results past theirs, dead letters past theirs, lapsed keys, swept purges. */
  prune(limit: number, call: Call): Promise<PruneReply>;

  cancel(ids: readonly string[], call: Call): Promise<readonly CancelResult[]>;
  redrive(pick: RedrivePick, call: Call): Promise<readonly RedriveResult[]>;
  /** Removes dead letters from the DLQ; the records stay dead_lettered until pruned. */
  discard(ids: readonly string[], call: Call): Promise<readonly ('discarded' | 'not_found')[]>;
  /** Every waiting and scheduled task of this moment ends cancelled/purged; exact count, O(1), swept by `prune`. */
  purge(queue: string, call: Call): Promise<{ readonly purged: number; readonly epoch: number }>;
  configure(change: ConfigureChange, call: Call): Promise<ConfigureResult>;

  get(ids: readonly string[], call: Call): Promise<readonly (Task | null)[]>;
  list(query: TaskQuery, call: Call): Promise<Page<Task>>;
  listDead(query: DeadQuery, call: Call): Promise<Page<Task>>;
  /** Exact counters, O(1) per queue, never a scan; null where the queue does not exist. */
  load(queues: readonly string[], call: Call): Promise<readonly (QueueLoad | null)[]>;
  /** Queue names in order of name, after `cursor`. */
  queues(
    query: { readonly limit: number; readonly cursor: string | null },
    call: Call,
  ): Promise<Page<string>>;

  workers: {
    beat(beat: WorkerBeat, call: Call): Promise<void>;
    list(call: Call): Promise<readonly WorkerRecord[]>;
  };
  audit: {
    append(entries: readonly AuditEntry[], call: Call): Promise<void>;
    list(
      query: { readonly limit: number; readonly cursor: string | null },
      call: Call,
    ): Promise<Page<AuditEntry>>;
  };

  /** Adds events that are not a task's transition (workers, saturation). */
  publish(events: readonly TaskEvent[], call: Call): Promise<void>;
  /** Events of committed transitions, in commit order, to this process. A listener must not throw or block. */
  subscribe(listener: (events: readonly TaskEvent[]) => void): Promise<Unsubscribe>;
  /** A hint that one of the queues may have work: may be lost, may repeat. */
  watch(queues: readonly string[], wake: () => void): Promise<Unsubscribe>;
}
