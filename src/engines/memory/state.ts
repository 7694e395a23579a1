// What the memory engine holds: tasks, queues and the indexes over them. Plain data; the rules are in the other files.
import { IndexedHeap } from '../../core/heap.ts';
import { effectiveSettings, type QueueSettings } from '../../core/settings.ts';
import { FINAL_STATUSES, type Instant, PRIORITIES, TASK_STATUSES, type Task } from '../../core/task.ts';
import type { AuditEntry, PauseState, QueueLoad, TaskEvent, WorkerRecord } from '../../engine/records.ts';
import { Lines } from './lines.ts';
import { Sorted } from './sorted.ts';

/** The leases that one reserve call gave, while any of them lives. */
interface RequestRow {
  readonly id: string;
  readonly leases: readonly { readonly entry: Entry; readonly token: string }[];
}

export interface LeaseRow {
  readonly token: string;
  /** Who reserved it; stays when a reaper takes the lease over. */
  readonly workerId: string;
  readonly startedAt: Instant;
  readonly until: Instant;
  /** null: given by a reap. */
  readonly requestId: string | null;
  readonly lossTold: boolean;
}

export interface KeyRow {
  /** Its name inside the queue's `keys`. */
  readonly name: string;
  readonly id: string;
  readonly fingerprint: string;
  readonly heldUntil: Instant;
  readonly queue: QueueState;
  /** null once the record was pruned; then `lastStatus` answers. */
  entry: Entry | null;
  lastStatus: Task['status'];
}

export interface Entry {
  /** Replaced as a whole by each transition, so that readers hold snapshots. */
  task: Task;
  readonly queue: QueueState;
  key: KeyRow | null;
  lease: LeaseRow | null;
  /** The n of the last token given; never reset. */
  tokenNumber: number;
  /** Tokens of the attempts kept, in the same order. */
  settledTokens: readonly string[];
  /** Place in its line. */
  place: number;
  /** From when `task_retention_s` runs; meaningful once final and out of the DLQ. */
  retainFrom: Instant;
}

interface TenantCounts {
  depth: number;
  running: number;
}

export interface QueueState {
  readonly name: string;
  readonly number: number;
  settings: QueueSettings;
  overrides: Partial<QueueSettings>;
  settingsVersion: number;
  paused: PauseState | null;
  epoch: number;
  /** GCRA state (core/rate). */
  tat: number | null;
  readonly counts: Record<Task['status'], number>;
  readonly totals: { -readonly [K in keyof QueueLoad['totals']]: number };
  dlqDropped: number;
  bytes: number;
  readonly byPriority: number[];
  readonly tenants: Map<string, TenantCounts>;
  readonly lines: Lines<Entry>;
  readonly due: IndexedHeap<Entry>;
  readonly leases: IndexedHeap<Entry>;
  readonly dlq: Sorted<Entry>;
  readonly finished: IndexedHeap<Entry>;
  readonly results: IndexedHeap<Entry>;
  readonly keys: Map<string, KeyRow>;
}

export interface State {
  readonly defaults: QueueSettings;
  readonly auditMax: number;
  readonly queues: Map<string, QueueState>;
  readonly tasks: Map<string, Entry>;
  readonly byId: Sorted<Entry>;
  readonly dlq: Sorted<Entry>;
  readonly due: IndexedHeap<Entry>;
  readonly expiring: IndexedHeap<Entry>;
  readonly leases: IndexedHeap<Entry>;
  readonly requests: Map<string, RequestRow>;
  /** Keys whose task has ended, by when they lapse. */
  readonly lapsing: IndexedHeap<KeyRow>;
  readonly workers: Map<string, WorkerRecord>;
  /** Oldest first, with the number of each. */
  readonly audit: { readonly number: number; readonly entry: AuditEntry }[];
  auditCount: number;
  /** Events of the call that runs now, sent when it has ended. */
  events: TaskEvent[];
  /** Queues that may have got work in the call that runs now. */
  readonly woken: Set<string>;
}

export function createState(defaults: QueueSettings, auditMax: number): State {
  return {
    defaults,
    auditMax,
    queues: new Map(),
    tasks: new Map(),
    byId: new Sorted<Entry>((a, b) => a.task.id < b.task.id),
    dlq: new Sorted<Entry>(diedBefore),
    due: new IndexedHeap<Entry>(dueBefore),
    expiring: new IndexedHeap<Entry>(byTime((entry) => entry.task.expiresAt)),
    leases: new IndexedHeap<Entry>(leaseEndsBefore),
    requests: new Map(),
    lapsing: new IndexedHeap<KeyRow>((a, b) => a.heldUntil < b.heldUntil),
    workers: new Map(),
    audit: [],
    auditCount: 0,
    events: [],
    woken: new Set(),
  };
}

/** A queue that is not yet in `state.queues`: kept only once something about it is accepted. */
export function draftQueue(state: State, name: string): QueueState {
  const queue: QueueState = {
    name,
    number: state.queues.size,
    settings: effectiveSettings(state.defaults, {}),
    overrides: {},
    settingsVersion: 0,
    paused: null,
    epoch: 0,
    tat: null,
    counts: zeros(TASK_STATUSES),
    totals: zeros([...FINAL_STATUSES, 'accepted', 'redriven']),
    dlqDropped: 0,
    bytes: 0,
    byPriority: Array.from({ length: PRIORITIES }, () => 0),
    tenants: new Map(),
    lines: new Lines<Entry>((tenant) => tenantWeight(queue.settings, tenant)),
    due: new IndexedHeap<Entry>(dueBefore),
    leases: new IndexedHeap<Entry>(leaseEndsBefore),
    dlq: new Sorted<Entry>(diedBefore),
    finished: new IndexedHeap<Entry>(byTime((entry) => entry.retainFrom)),
    results: new IndexedHeap<Entry>(byTime((entry) => entry.task.finishedAt)),
    keys: new Map(),
  };
  return queue;
}

function tenantWeight(settings: QueueSettings, tenant: string): number {
  const { tenantWeights } = settings;
  return Object.hasOwn(tenantWeights, tenant) ? (tenantWeights[tenant] ?? 1) : 1;
}

/** The order of the dead letters: by time of death, ties by id. */
function diedBefore(a: Pick<Entry, 'task'>, b: Pick<Entry, 'task'>): boolean {
  return earlier(a.task.deadLetter?.at ?? 0, b.task.deadLetter?.at ?? 0, a.task.id < b.task.id);
}

const dueBefore = byTime((entry) => entry.task.availableAt);
const leaseEndsBefore = byTime((entry) => entry.lease?.until ?? null);

function byTime(timeOf: (entry: Entry) => Instant | null): (a: Entry, b: Entry) => boolean {
  return (a, b) => earlier(timeOf(a) ?? 0, timeOf(b) ?? 0, a.task.id < b.task.id);
}

function earlier(a: Instant, b: Instant, tie: boolean): boolean {
  return a < b || (a === b && tie);
}

function zeros<K extends string>(names: readonly K[]): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
}
