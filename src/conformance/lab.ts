// The bench that a case works on: one opened engine, a clock that only the case moves, and short ways to ask.
import assert from 'node:assert/strict';
import type { Outcome } from '../core/decision.ts';
import { idMaker } from '../core/id.ts';
import { decide } from '../core/lifecycle.ts';
import { DEFAULT_SETTINGS, type QueueSettings } from '../core/settings.ts';
import type { Instant, Task, TaskStatus } from '../core/task.ts';
import type {
  Call,
  Lease,
  NewTask,
  ReapReply,
  ReserveRequest,
  Settlement,
  SettleResult,
  SubmitResult,
} from '../engine/messages.ts';
import type { Engine } from '../engine/port.ts';
import type { Page, QueueLoad, TaskEvent } from '../engine/records.ts';
import type { Harness, OpenOptions } from './harness.ts';

/** Where every case's time starts: 2026-01-01T00:00:00Z. */
export const START: Instant = 1_767_225_600_000;

export const boom = { name: 'Boom', message: 'it broke', retryable: true } as const;

/** More rounds than any case needs: a pass or a listing that has no end fails instead of hanging. */
const ROUNDS_MAX = 2_000;

export class Lab {
  engine: Engine;
  /** The time of the next call; cases move it by `advance`. */
  at: Instant = START;
  /** The harness can open the same store again. */
  readonly canRestart: boolean;
  readonly #reopen: (() => Promise<Engine>) | null;
  readonly #nextId: (at: Instant) => string;
  #count = 0;

  private constructor(engine: Engine, reopen: (() => Promise<Engine>) | null) {
    this.engine = engine;
    this.canRestart = reopen !== null;
    this.#reopen = reopen;
    this.#nextId = idMaker((into) => into.fill(7));
  }

  static async open(harness: Harness, namespace: string, settings: Partial<QueueSettings>): Promise<Lab> {
    const options: OpenOptions = { defaults: { ...DEFAULT_SETTINGS, ...settings } };
    const reopen = harness.reopen?.bind(harness, namespace, options) ?? null;
    return new Lab(await harness.open(namespace, options), reopen);
  }

  /** Closes the engine and opens the same store with a new one. */
  async restart(): Promise<void> {
    assert.ok(this.#reopen, 'the harness has no reopen');
    await this.engine.close();
    this.engine = await this.#reopen();
  }

  advance(ms: number): void {
    this.at += ms;
  }

  get call(): Call {
    return { at: this.at, principal: 'anonymous' };
  }

  /** A name that this case has not used yet. */
  unique(prefix: string): string {
    this.#count += 1;
    return `${prefix}-${this.#count}`;
  }

  /** A task as the broker would hand it in; queue `q`, type `t`, unless told otherwise. */
  task(spec: Partial<NewTask> = {}): NewTask {
    const payload = spec.payload ?? '{}';
    const metadata = spec.metadata ?? '{}';
    const keyed = spec.idempotencyKey !== undefined && spec.idempotencyKey !== null;
    return {
      id: this.#nextId(this.at),
      queue: 'q',
      type: 't',
      payload,
      metadata,
      bytes: Buffer.byteLength(payload) + Buffer.byteLength(metadata),
      priority: 5,
      tenant: '',
      client: 'anonymous',
      idempotencyKey: null,
      ttlMs: null,
      maxAttempts: 5,
      timeoutMs: 30_000,
      retry: null,
      input: null,
      traceparent: null,
      tracestate: null,
      runAt: null,
      fingerprint: keyed ? 'f'.repeat(64) : null,
      keyHeldUntil: keyed ? this.at + 86_400_000 : null,
      ...spec,
    };
  }

  async submit(...specs: readonly Partial<NewTask>[]): Promise<readonly SubmitResult[]> {
    return this.engine.submit(
      specs.map((spec) => this.task(spec)),
      this.call,
    );
  }

  /** Submits one that must be accepted; its id. */
  async add(spec: Partial<NewTask> = {}): Promise<string> {
    const [result] = await this.submit(spec);
    assert.equal(result?.outcome, 'created', `refused: ${JSON.stringify(result)}`);
    return result.id;
  }

  async addMany(count: number, spec: Partial<NewTask> = {}): Promise<string[]> {
    const results = await this.submit(...Array.from({ length: count }, () => spec));
    return results.map((result) => {
      assert.equal(result.outcome, 'created', `refused: ${JSON.stringify(result)}`);
      return result.id;
    });
  }

  request(want: Partial<ReserveRequest> = {}): ReserveRequest {
    return {
      workerId: 'w1',
      requestId: this.unique('request'),
      nonce: this.unique('nonce'),
      queues: [{ name: 'q', weight: 1 }],
      max: 1,
      leaseMs: null,
      ...want,
    };
  }

  async reserve(want: Partial<ReserveRequest> = {}): Promise<readonly Lease[]> {
    return (await this.engine.reserve(this.request(want), this.call)).leases;
  }

  /** Reserves one that must be there. */
  async take(want: Partial<ReserveRequest> = {}): Promise<Lease> {
    const [lease] = await this.reserve({ ...want, max: 1 });
    assert.ok(lease, 'nothing to reserve');
    return lease;
  }

  /** Reserves one at a time until nothing comes; the ids in the order of starts. */
  async drainIds(want: Partial<ReserveRequest> = {}): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < ROUNDS_MAX) {
      const [lease] = await this.reserve({ ...want, max: 1 });
      if (!lease) return ids;
      ids.push(lease.task.id);
    }
    throw new Error('the queue never runs dry');
  }

  /** A settlement as a worker would send it: decided by core from the lease. */
  settlement(lease: Lease, outcome: Outcome, workerId = 'w1'): Settlement {
    const { task, token, policy } = lease;
    const settled = decide({ task, policy, at: this.at, random: 0.5 }, outcome);
    return { id: task.id, token, workerId, startedAt: this.at, settled };
  }

  async settle(lease: Lease, outcome: Outcome): Promise<SettleResult> {
    const [result] = await this.engine.settle([this.settlement(lease, outcome)], this.call);
    assert.ok(result);
    return result;
  }

  /** Settles under a living lease. */
  async end(lease: Lease, outcome: Outcome): Promise<void> {
    assert.equal((await this.settle(lease, outcome)).outcome, 'settled');
  }

  succeed(lease: Lease, result: string | null = null): Promise<void> {
    return this.end(lease, { kind: 'succeed', result });
  }

  fail(lease: Lease, about: { readonly retryable?: boolean; readonly retryDelayMs?: number } = {}) {
    const { retryable = true, retryDelayMs } = about;
    const error = { ...boom, retryable };
    return this.end(lease, { kind: 'fail', error, ...(retryDelayMs === undefined ? {} : { retryDelayMs }) });
  }

  /** Submits one and lets it die of a permanent failure. */
  async addDead(spec: Partial<NewTask> = {}): Promise<string> {
    const id = await this.add(spec);
    const lease = await this.take({ queues: [{ name: spec.queue ?? 'q', weight: 1 }] });
    assert.equal(lease.task.id, id, 'another task was ahead');
    await this.fail(lease, { retryable: false });
    return id;
  }

  async reap(max = 100, leaseMs = 10_000): Promise<ReapReply> {
    const want = { reaperId: 'reaper', max, leaseMs, nonce: this.unique('reap') };
    return this.engine.reap(want, this.call);
  }

  /** Reaps, decides and settles as the broker's maintenance does; the ids of the tasks that were lost. */
  async reapAll(): Promise<string[]> {
    const { leases } = await this.reap();
    for (const lease of leases) await this.end(lease, { kind: 'lease_lost' });
    return leases.map(({ task }) => task.id);
  }

  promote(limit = 1000) {
    return this.engine.promote(limit, this.call);
  }

  expire(limit = 1000) {
    return this.engine.expire(limit, this.call);
  }

  /** Prunes until nothing is left to do at this moment; the files of the records that went. */
  async prune(limit = 1000): Promise<string[]> {
    return pruneAll(this.engine, limit, this.call);
  }

  async find(id: string): Promise<Task | null> {
    const [task] = await this.engine.get([id], this.call);
    return task ?? null;
  }

  async get(id: string): Promise<Task> {
    const task = await this.find(id);
    assert.ok(task, `no task ${id}`);
    return task;
  }

  async status(id: string): Promise<TaskStatus> {
    return (await this.get(id)).status;
  }

  async load(queue = 'q'): Promise<QueueLoad> {
    const [load] = await this.engine.load([queue], this.call);
    assert.ok(load, `no queue ${queue}`);
    return load;
  }

  async configure(patch: Partial<QueueSettings>, queue = 'q'): Promise<void> {
    const result = await this.engine.configure({ queue, patch }, this.call);
    assert.equal(result.outcome, 'configured');
  }

  async pause(queue = 'q'): Promise<void> {
    await this.engine.configure({ queue, pause: { by: 'anonymous', reason: null } }, this.call);
  }

  async resume(queue = 'q'): Promise<void> {
    await this.engine.configure({ queue, pause: null }, this.call);
  }

  /** All events from now on, in the order of their coming. */
  async record(): Promise<TaskEvent[]> {
    const events: TaskEvent[] = [];
    await this.engine.subscribe((some) => {
      events.push(...some);
    });
    return events;
  }
}

/** Prunes until a pass says that nothing is left; the files of the records that went. */
export async function pruneAll(engine: Engine, limit: number, call: Call): Promise<string[]> {
  const all: string[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { done, files = [] } = await engine.prune(limit, call);
    all.push(...files);
    if (done < limit) return all;
  }
  throw new Error('prune never comes to an end');
}

/** Every item of a listing, page by page. */
export async function pages<T>(read: (cursor: string | null) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const page: Page<T> = await read(cursor);
    all.push(...page.items);
    cursor = page.next;
    if (cursor === null) return all;
  }
  throw new Error('the listing never comes to an end');
}

/** Events come soon after the call that made them, not with it. Rejects after a generous while. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (let turn = 0; !holds(); turn += 1) {
    assert.ok(turn < 2_000, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, turn < 100 ? 0 : 5));
  }
}

/** The task with this status and nothing else asserted: most cases look at one thing. */
export async function assertStatus(lab: Lab, id: string, status: TaskStatus): Promise<void> {
  assert.equal(await lab.status(id), status);
}

/** The call is refused as a whole with this code. */
export async function assertRefused(call: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.equal((error as { code?: unknown }).code, code);
    return true;
  });
}
