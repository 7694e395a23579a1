// Runs handlers in slots: starts what is leased, takes the outcome, and never lets a handler that hangs keep its slot.
import type { Outcome } from '../core/decision.ts';
import { isExpired } from '../core/lifecycle.ts';
import type { Task } from '../core/task.ts';
import type { Lease } from '../engine/messages.ts';
import type { WorkerEnv } from './env.ts';
import type { Handler, InputSource } from './handler.ts';
import { outcomeOf } from './result.ts';
import { Run, RunContext } from './run.ts';
import { failure, failureOf } from './task-error.ts';

export interface RunnerAbout {
  readonly env: WorkerEnv;
  readonly handlers: ReadonlyMap<string, Handler>;
  readonly concurrency: number;
  /** null: a third of the lease. */
  readonly heartbeatMs: number | null;
  readonly inputOf: (task: Task) => InputSource | null;
  /** Decides and settles. */
  readonly settle: (run: Run, outcome: Outcome) => void;
  /** A slot came free. */
  readonly onFree: () => void;
  /** Something must be looked at (renewed, timed out) at this monotonic time. */
  readonly onDue: (at: number) => void;
}

export class Runner {
  /** Every lease in hand, until its settlement is answered. */
  readonly held = new Set<Run>();
  readonly #about: RunnerAbout;
  readonly #buffer: Run[] = [];
  #running = 0;
  #abandoned = 0;
  #filling = false;
  #closed = false;

  constructor(about: RunnerAbout) {
    this.#about = about;
  }

  get running(): number {
    return this.#running;
  }

  get buffered(): number {
    return this.#buffer.length;
  }

  /** Handlers that go on although their slot was taken back (timed out, lease lost, shut down). */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** Takes leases and starts as many as there are slots. */
  accept(leases: readonly Lease[], at: number): void {
    if (leases.length === 0) return;
    const { env, heartbeatMs, onDue } = this.#about;
    const elapsed = env.elapsed();
    for (const lease of leases) {
      const run = new Run(lease, { at, elapsed, heartbeatMs });
      this.held.add(run);
      this.#buffer.push(run);
      onDue(run.renewAt);
    }
    if (this.#closed) this.close();
    else this.#fill();
  }

  /** Starts nothing any more: gives back what waits, and whatever still comes. */
  close(): void {
    this.#closed = true;
    for (const run of this.#buffer.splice(0)) this.#about.settle(run, { kind: 'release' });
  }

  /** The attempt's time is over: it failed, whatever the handler goes on doing. */
  timeOut(run: Run): void {
    const ms = run.lease.task.timeoutMs;
    const outcome = failure('TimeoutError', `no result within timeout_ms (${ms} ms)`, true);
    this.#takeBack(run, new DOMException(`timed out after ${ms} ms`, 'TimeoutError'), outcome);
  }

  /** Another holder has the task by now: nothing more is reported. */
  lose(run: Run): void {
    if (run.state === 'settling' || run.state === 'closed') return;
    this.#takeBack(run, abortError('the lease was lost'), null);
  }

  /** A running handler is told to stop, one that has not started never will. */
  cancel(run: Run): void {
    if (run.state === 'running') run.abort(abortError('the task was cancelled'));
    else if (run.state === 'buffered') {
      this.#unbuffer(run);
      this.#about.settle(run, { kind: 'release' });
      this.#about.onFree();
    }
  }

  /** Releases every running task without spending an attempt. */
  releaseRunning(): void {
    for (const run of [...this.held]) {
      if (run.state === 'running')
        this.#takeBack(run, abortError('the worker shuts down'), { kind: 'release' });
    }
  }

  /** A loop, not a recursion: a handler that ends at once frees its slot inside `#start`. */
  #fill(): void {
    if (this.#filling || this.#closed) return;
    this.#filling = true;
    while (this.#running < this.#about.concurrency) {
      const run = this.#buffer.shift();
      if (run === undefined) break;
      this.#start(run);
    }
    this.#filling = false;
  }

  #start(run: Run): void {
    const { env, handlers, settle, onDue } = this.#about;
    const { task } = run.lease;
    const handler = handlers.get(task.type);
    run.startedAt = env.now();
    // It may have waited in the buffer past its time to live.
    const late = isExpired(task.expiresAt, run.startedAt);
    if (late || handler === undefined) {
      settle(run, { kind: late ? 'expired' : 'unknown_type' });
      return;
    }
    run.state = 'running';
    this.#running += 1;
    const answer = this.#invoke(run, handler);
    if (!(answer instanceof Promise)) {
      this.#finish(run, answer);
      return;
    }
    run.deadlineAt = env.elapsed() + task.timeoutMs;
    onDue(run.deadlineAt);
    answer.then(
      (value) => this.#ended(run, () => outcomeOf(value)),
      (thrown) => this.#ended(run, () => failureOf(thrown)),
    );
  }

  /** A handler that does not wait for anything costs no promise and no deadline. */
  #invoke(run: Run, handler: Handler): Outcome | Promise<unknown> {
    try {
      const context = new RunContext(run, { log: this.#about.env.log, inputOf: this.#about.inputOf });
      const answer = handler(JSON.parse(run.lease.task.payload), context);
      return isThenable(answer) ? Promise.resolve(answer) : outcomeOf(answer);
    } catch (thrown) {
      return failureOf(thrown);
    }
  }

  #ended(run: Run, outcome: () => Outcome): void {
    if (run.state === 'running') this.#finish(run, outcome());
    else this.#abandoned -= 1;
  }

  #finish(run: Run, outcome: Outcome): void {
    this.#running -= 1;
    this.#about.settle(run, outcome);
    this.#freed();
  }

  #takeBack(run: Run, reason: Error, outcome: Outcome | null): void {
    const wasRunning = run.state === 'running';
    if (!wasRunning) this.#unbuffer(run);
    if (outcome === null) {
      run.state = 'closed';
      this.held.delete(run);
    } else this.#about.settle(run, outcome);
    run.abort(reason);
    if (!wasRunning) return;
    this.#running -= 1;
    this.#abandoned += 1;
    this.#freed();
  }

  #freed(): void {
    this.#fill();
    this.#about.onFree();
  }

  #unbuffer(run: Run): void {
    const place = this.#buffer.indexOf(run);
    if (place >= 0) this.#buffer.splice(place, 1);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function abortError(message: string): Error {
  return new DOMException(message, 'AbortError');
}
