// One lease in this worker's hands, from its reservation until its settlement is answered.
import type { Instant, Progress } from '../core/task.ts';
import type { Lease } from '../engine/messages.ts';
import type { WorkerLog } from './env.ts';
import type { HandlerContext, InputSource } from './handler.ts';

/**
 * `buffered`: leased, not started. `running`: the handler has it. `settling`: the outcome is on its way to the store.
 * `closed`: nothing more happens here, whatever the handler still does.
 */
export type RunState = 'buffered' | 'running' | 'settling' | 'closed';

export interface RunAbout {
  /** Of the reservation, on the store's clock and on the monotonic one. */
  readonly at: Instant;
  readonly elapsed: number;
  /** null: a third of the lease, which is also the most. */
  readonly heartbeatMs: number | null;
}

export class Run {
  readonly lease: Lease;
  readonly leaseMs: number;
  /** How often the lease is extended. */
  readonly beatMs: number;
  state: RunState = 'buffered';
  /** Store time of the start (of the reservation, until then). */
  startedAt: Instant;
  /** On the monotonic clock: when the lease is to be extended, and when the attempt times out. */
  renewAt: number;
  deadlineAt = Number.POSITIVE_INFINITY;
  /** An extension is on its way. */
  renewing = false;
  /** Not yet sent. */
  progress: Progress | null = null;
  #controller: AbortController | null = null;
  #aborted: { readonly reason: Error } | null = null;

  constructor(lease: Lease, about: RunAbout) {
    this.lease = lease;
    this.startedAt = about.at;
    this.leaseMs = Math.max(1, lease.until - about.at);
    this.beatMs = Math.max(1, Math.min(about.heartbeatMs ?? Number.POSITIVE_INFINITY, this.leaseMs / 3));
    this.renewAt = about.elapsed + this.beatMs;
  }

  /** Made only when a handler looks at it: most never do, and it is the dearest part of a small task. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.#aborted !== null) this.#controller.abort(this.#aborted.reason);
    }
    return this.#controller.signal;
  }

  /** The first reason stays. */
  abort(reason: Error): void {
    if (this.#aborted !== null) return;
    this.#aborted = { reason };
    this.#controller?.abort(reason);
  }
}

/** What the handler sees of a run. The functions are its own, so that they can be taken apart from it. */
export class RunContext implements HandlerContext {
  readonly task: Lease['task'];
  readonly progress: HandlerContext['progress'];
  readonly input: HandlerContext['input'];
  readonly log: HandlerContext['log'];
  readonly #run: Run;

  constructor(
    run: Run,
    about: { readonly log: WorkerLog; readonly inputOf: (task: Lease['task']) => InputSource | null },
  ) {
    const { task } = run.lease;
    this.#run = run;
    this.task = task;
    this.progress = (percent, message = '') => {
      if (run.state === 'running') run.progress = progressOf(percent, message);
    };
    this.input = () => about.inputOf(task);
    this.log = (level, message, fields = {}) => {
      about.log(level, message, { ...fields, task_id: task.id, task_type: task.type, attempt: task.attempt });
    };
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get attempt(): number {
    return this.task.attempt;
  }

  get deliveries(): number {
    return this.task.deliveries;
  }

  get expiresAt(): number | null {
    return this.task.expiresAt;
  }
}

const PROGRESS_MESSAGE_MAX = 200;

function progressOf(percent: number, message: string): Progress {
  const whole = Number.isFinite(percent) ? Math.min(100, Math.max(0, percent)) : 0;
  const text = String(message).slice(0, PROGRESS_MESSAGE_MAX);
  return { percent: whole, message: text.replace(/\0|\p{Surrogate}/gu, '\uFFFD') };
}
