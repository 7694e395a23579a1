// One queue as the thread holds it: settings, exact counters, lines. Loaded at open, changed in memory, written once per
// transaction, loaded again after a rollback. Memory: O(queues + active tenants), never O(tasks).
import type { CountLoad } from '../../core/admission.ts';
import {
  effectiveSettings,
  type QueueSettings,
  type SettlePolicy,
  settlePolicy,
} from '../../core/settings.ts';
import { type Instant, PRIORITIES, type TaskStatus } from '../../core/task.ts';
import type { PauseState, QueueLoad } from '../../engine/records.ts';
import { Lines } from './lines.ts';

export type WaitingStatus = 'queued' | 'scheduled' | 'retrying';

export const QUEUE_COUNTERS = [
  'queued',
  'running',
  'scheduled',
  'retrying',
  'dead',
  'dlqDropped',
  'waitingBytes',
  'runningBytes',
  'accepted',
  'redriven',
  'succeeded',
  'failed',
  'dead_lettered',
  'cancelled',
  'expired',
] as const;
export type QueueCounts = Record<(typeof QUEUE_COUNTERS)[number], number>;

export class QueueState {
  readonly name: string;
  readonly number: number;
  #settings: QueueSettings;
  /** Of the settings; one object for all leases, so that it crosses to the caller once. */
  policy: SettlePolicy;
  overrides: Partial<QueueSettings>;
  settingsVersion = 0;
  paused: PauseState | null = null;
  epoch = 0;
  /** GCRA state (core/rate). */
  tat: number | null = null;
  readonly counts: QueueCounts;
  readonly byPriority: number[] = Array.from({ length: PRIORITIES }, () => 0);
  readonly lines: Lines;
  /** Running tasks by tenant; a tenant with none is not in it. */
  readonly runningOf = new Map<string, number>();
  /** Ends of epochs whose tasks are not all swept yet, by epoch. */
  readonly purges = new Map<number, Instant>();

  constructor(about: {
    readonly name: string;
    readonly number: number;
    readonly defaults: QueueSettings;
    readonly overrides: Partial<QueueSettings>;
    readonly counts: QueueCounts;
  }) {
    this.name = about.name;
    this.number = about.number;
    this.overrides = about.overrides;
    this.#settings = effectiveSettings(about.defaults, about.overrides);
    this.policy = settlePolicy(this.#settings);
    this.counts = about.counts;
    this.lines = new Lines((tenant) => weightOf(this.settings, tenant));
  }

  get settings(): QueueSettings {
    return this.#settings;
  }

  set settings(settings: QueueSettings) {
    this.#settings = settings;
    this.policy = settlePolicy(settings);
  }

  /** The key of this queue's schedule and expiring lists: a purge raises the epoch and so empties them. */
  get waitingList(): number {
    return waitingListOf(this.number, this.epoch);
  }

  countWaiting(task: { readonly status: WaitingStatus } & Counted, by: 1 | -1): void {
    const { counts } = this;
    counts[task.status] += by;
    counts.waitingBytes += by * task.bytes;
    if (task.status === 'queued') {
      this.byPriority[task.priority] = (this.byPriority[task.priority] ?? 0) + by;
    }
  }

  countRunning(task: Counted, by: 1 | -1): void {
    const { counts, runningOf } = this;
    counts.running += by;
    counts.runningBytes += by * task.bytes;
    const running = (runningOf.get(task.tenant) ?? 0) + by;
    if (running === 0) runningOf.delete(task.tenant);
    else runningOf.set(task.tenant, running);
    if (by < 0) this.lines.order.unblock(task.tenant);
  }

  /** What the count bounds look at. */
  loadFor(tenant: string): CountLoad {
    const { counts } = this;
    return {
      queued: counts.queued,
      running: counts.running,
      waitingForTime: counts.scheduled + counts.retrying,
      bytes: counts.waitingBytes + counts.runningBytes,
      tenantDepth: this.lines.queuedOf(tenant) + (this.runningOf.get(tenant) ?? 0),
    };
  }

  load(): QueueLoad {
    const { counts } = this;
    const { accepted, redriven, succeeded, failed, dead_lettered, cancelled, expired } = counts;
    return {
      queue: this.name,
      number: this.number,
      totals: { accepted, redriven, succeeded, failed, dead_lettered, cancelled, expired },
      queued: counts.queued,
      running: counts.running,
      scheduled: counts.scheduled,
      retrying: counts.retrying,
      deadLettered: counts.dead,
      dlqDropped: counts.dlqDropped,
      bytes: counts.waitingBytes + counts.runningBytes,
      byPriority: [...this.byPriority],
      oldestAvailableAt: this.lines.order.oldestAt(),
      epoch: this.epoch,
      paused: this.paused,
      settings: this.settings,
      overrides: this.overrides,
      settingsVersion: this.settingsVersion,
    };
  }

  /** Every waiting task is gone. Returns how many that were. */
  purge(at: Instant): number {
    const { counts } = this;
    const purged = counts.queued + counts.scheduled + counts.retrying;
    this.purges.set(this.epoch, at);
    this.epoch += 1;
    Object.assign(counts, { queued: 0, scheduled: 0, retrying: 0, waitingBytes: 0 });
    counts.cancelled += purged;
    this.byPriority.fill(0);
    this.lines.clear();
    return purged;
  }
}

export interface Counted {
  readonly bytes: number;
  readonly priority: number;
  readonly tenant: string;
}

const EPOCH_STEP = 65_536;

export function waitingListOf(queueNumber: number, epoch: number): number {
  return epoch * EPOCH_STEP + queueNumber;
}

export function noCounts(): QueueCounts {
  return Object.fromEntries(QUEUE_COUNTERS.map((name) => [name, 0])) as QueueCounts;
}

export function isWaiting(status: TaskStatus): status is WaitingStatus {
  return status === 'queued' || status === 'scheduled' || status === 'retrying';
}

function weightOf({ tenantWeights }: QueueSettings, tenant: string): number {
  return Object.hasOwn(tenantWeights, tenant) ? (tenantWeights[tenant] ?? 1) : 1;
}
