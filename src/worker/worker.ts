// A worker: fetches tasks from a source, runs them in slots, keeps their leases, settles them, and stops gracefully.
// The parts know nothing of each other; they meet here.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Outcome } from '../core/decision.ts';
import type { InputFile, Task } from '../core/task.ts';
import type { Call, ReserveRequest, SettleResult } from '../engine/messages.ts';
import type { WorkerStatus } from '../engine/records.ts';
import type { WorkSource } from '../engine/slices.ts';
import { Beats } from './beats.ts';
import { systemEnv, type WorkerEnv } from './env.ts';
import { Fetcher } from './fetcher.ts';
import type { Handler, InputSource } from './handler.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Run } from './run.ts';
import { Runner } from './runner.ts';
import { Settler } from './settler.ts';
import { handlerMap, type TaskDefinition } from './tasks.ts';
import { processVitals } from './vitals.ts';

export interface WorkerOptions {
  /** An open engine, or anything else that gives out leases. */
  readonly source: WorkSource;
  readonly tasks: Iterable<TaskDefinition> | ReadonlyMap<string, Handler>;
  /** First listed, first asked; weights share out a reservation. Default: `default`. */
  readonly queues?: ReserveRequest['queues'];
  /** Handlers at a time, 1..1000. Default 4. */
  readonly concurrency?: number;
  /** Leases held beyond free slots, 0..32. Default 0. */
  readonly prefetch?: number;
  /** null (default): each queue's lease_ms. */
  readonly leaseMs?: number | null;
  /** How often leases are extended and progress is sent; at most, and by default (null), a third of the lease. */
  readonly heartbeatMs?: number | null;
  /** How long a drain waits for running handlers, ms. Default 30000. */
  readonly drainTimeoutMs?: number;
  /** Default: host, process id and a random part. */
  readonly workerId?: string;
  readonly principal?: string;
  /** Shown in the list of workers. */
  readonly version?: string;
  /** Where a task's file can be read by this process; without it `ctx.input()` throws for tasks with a file. */
  readonly pathOf?: (file: InputFile) => string;
  readonly env?: Partial<WorkerEnv>;
}

/** How a drain went. */
export interface DrainReport {
  /** Tasks that were given back without spending an attempt. */
  readonly released: number;
  /** Settlements that the store had not answered when time was up; their leases run out. */
  readonly unanswered: number;
}

const BEAT_MS = 10_000;
/** How long a drain waits at its end for the last settlements. */
const FLUSH_MS = 2_000;
/** A store that settles slowly must not let answers pile up without bound. */
const UNSETTLED_MIN = 256;

export class Worker {
  readonly workerId: string;
  readonly #options: WorkerOptions;
  readonly #env: WorkerEnv;
  readonly #queues: ReserveRequest['queues'];
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #concurrency: number;
  readonly #runner: Runner;
  readonly #settler: Settler;
  readonly #heartbeat: Heartbeat;
  readonly #fetcher: Fetcher;
  readonly #beats: Beats;
  readonly #vitals = processVitals();
  #status: WorkerStatus = 'starting';
  #draining: Promise<DrainReport> | null = null;
  #released = 0;
  #unanswered = 0;
  #whenQuiet: (() => void) | null = null;
  #stopNow: () => void = () => undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#env = systemEnv(options.env);
    this.#queues = options.queues ?? [{ name: 'default', weight: 1 }];
    this.#handlers =
      options.tasks instanceof Map ? options.tasks : handlerMap(options.tasks as Iterable<TaskDefinition>);
    this.#concurrency = bounded('concurrency', options.concurrency ?? 4, 1, 1000);
    const prefetch = bounded('prefetch', options.prefetch ?? 0, 0, 32);
    this.workerId = options.workerId ?? `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
    const shared = {
      source: options.source,
      env: this.#env,
      workerId: this.workerId,
      call: (): Call => ({ at: this.#env.now(), principal: options.principal ?? 'anonymous' }),
    };
    const unsettledMax = Math.max(UNSETTLED_MIN, 4 * this.#concurrency);
    this.#settler = new Settler({ ...shared, onAnswer: (run, answer) => this.#answered(run, answer) });
    this.#runner = new Runner({
      env: this.#env,
      handlers: this.#handlers,
      concurrency: this.#concurrency,
      heartbeatMs: options.heartbeatMs ?? null,
      inputOf: (task) => this.#inputOf(task),
      settle: (run, outcome) => this.#settle(run, outcome),
      onFree: () => this.#freed(),
      onDue: (at) => this.#heartbeat.due(at),
    });
    this.#heartbeat = new Heartbeat({ ...shared, onLost: (run) => this.#lost(run) }, this.#runner);
    this.#fetcher = new Fetcher({
      ...shared,
      queues: this.#queues,
      leaseMs: options.leaseMs ?? null,
      room: () => {
        if (this.#settler.pending >= unsettledMax) return 0;
        return this.#concurrency + prefetch - this.#runner.running - this.#runner.buffered;
      },
      onLeases: (leases, at) => this.#runner.accept(leases, at),
    });
    this.#beats = new Beats({ ...shared, everyMs: BEAT_MS, beat: () => this.#beat() });
  }

  get status(): WorkerStatus {
    return this.#status;
  }

  /** Handlers that run in a slot. */
  get running(): number {
    return this.#runner.running;
  }

  /** Handlers that go on although their slot was taken back: each is a leak until it returns. */
  get abandoned(): number {
    return this.#runner.abandoned;
  }

  /** Begins to fetch. A store that does not answer yet is tried again, with one warning. */
  async start(): Promise<void> {
    if (this.#status !== 'starting') throw new Error(`the worker is ${this.#status} and cannot start`);
    void this.#beats.now();
    this.#status = 'ready';
    await this.#fetcher.start();
    if (this.#status === 'ready') await this.#beats.now();
  }

  /**
   * Stops fetching, gives back what has not started, lets running handlers finish for `timeoutMs`, then aborts and
   * releases the rest without spending an attempt. A second call changes nothing, except that one with a timeout of
   * 0 ends the wait at once. Takes at most the timeout and two seconds for the last answers.
   */
  drain(timeoutMs = this.#options.drainTimeoutMs ?? 30_000): Promise<DrainReport> {
    this.#draining ??= this.#drain(timeoutMs);
    if (timeoutMs === 0) this.#stopNow();
    return this.#draining;
  }

  async #drain(timeoutMs: number): Promise<DrainReport> {
    this.#status = 'draining';
    void this.#beats.now();
    const fetched = this.#fetcher.stop();
    this.#runner.close();
    await this.#within(timeoutMs, this.#quiet(), (stop) => {
      this.#stopNow = stop;
    });
    this.#runner.releaseRunning();
    // What a reservation in flight still brings is released, too, before the settlements are waited for.
    await this.#within(
      FLUSH_MS,
      fetched.then(() => this.#settler.idle()),
    );
    this.#settler.close();
    this.#heartbeat.stop();
    this.#status = 'stopped';
    this.#unanswered += this.#runner.held.size;
    await this.#within(FLUSH_MS, this.#beats.now());
    this.#vitals.stop();
    return { released: this.#released, unanswered: this.#unanswered };
  }

  #quiet(): Promise<void> {
    if (this.#runner.running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenQuiet = resolve;
    });
  }

  #within(
    ms: number,
    done: Promise<unknown>,
    onStop: (stop: () => void) => void = () => undefined,
  ): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#env.timers.after(ms, resolve);
      const stop = () => {
        cancel();
        resolve();
      };
      onStop(stop);
      void done.then(stop, stop);
    });
  }

  #settle(run: Run, outcome: Outcome): void {
    if (outcome.kind === 'release') this.#released += 1;
    this.#settler.add(run, outcome);
  }

  #answered(run: Run, answer: SettleResult['outcome'] | 'unanswered'): void {
    this.#runner.held.delete(run);
    if (answer === 'unanswered') this.#unanswered += 1;
    if (answer === 'lease_lost') this.#warn('the lease was lost before the task was settled', run.lease.task);
    this.#fetcher.kick();
  }

  #lost(run: Run): void {
    this.#warn('the lease was lost; the handler is told to stop', run.lease.task);
    this.#runner.lose(run);
  }

  #warn(message: string, task: Task): void {
    this.#env.log('warn', message, { task_id: task.id, task_type: task.type, attempt: task.attempt });
  }

  #freed(): void {
    this.#fetcher.kick();
    if (this.#runner.running === 0) this.#whenQuiet?.();
  }

  #inputOf(task: Task): InputSource | null {
    const file = task.input;
    if (file === null) return null;
    const { pathOf } = this.#options;
    if (pathOf === undefined) throw new Error('this worker has no access to uploaded files');
    const { name, contentType, bytes, sha256 } = file;
    return { path: pathOf(file), name, contentType, bytes, sha256 };
  }

  #beat() {
    const running = this.#runner.running;
    const busy = this.#status === 'ready' && running >= this.#concurrency;
    return {
      workerId: this.workerId,
      status: busy ? ('busy' as const) : this.#status,
      slots: this.#concurrency,
      running,
      ...this.#vitals.read(),
      version: this.#options.version ?? '',
      queues: this.#queues.map((queue) => queue.name),
      types: [...this.#handlers.keys()],
    };
  }
}

function bounded(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RangeError(`${name} must be an integer ${min}..${max}, got ${value}`);
}
