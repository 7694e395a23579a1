// Sends settlements to the store: while one call runs, collect; then all that came goes into the next. No timers but after a failure.

import type { Outcome, Settled } from '../core/decision.ts';
import { decide } from '../core/lifecycle.ts';
import { EngineError } from '../engine/errors.ts';
import type { Call, Settlement, SettleResult } from '../engine/messages.ts';
import type { WorkSource } from '../engine/slices.ts';
import { Backoff } from './backoff.ts';
import type { WorkerEnv } from './env.ts';
import type { Run } from './run.ts';

const BATCH_MAX = 100;
const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 5_000;

interface Entry {
  readonly run: Run;
  readonly settlement: Settlement;
}

export interface SettlerAbout {
  readonly source: Pick<WorkSource, 'settle'>;
  readonly env: WorkerEnv;
  readonly workerId: string;
  readonly call: () => Call;
  /** The store has answered for this run, or never will. */
  readonly onAnswer: (run: Run, answer: SettleResult['outcome'] | 'unanswered') => void;
}

export class Settler {
  readonly #about: SettlerAbout;
  readonly #backoff: Backoff;
  #waiting: Entry[] = [];
  #flying = 0;
  #busy = false;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(about: SettlerAbout) {
    this.#about = about;
    this.#backoff = new Backoff(about.env, RETRY_FIRST_MS, RETRY_MAX_MS);
  }

  /** Settlements not yet answered. */
  get pending(): number {
    return this.#waiting.length + this.#flying;
  }

  /** Decides what the outcome means and queues it. */
  add(run: Run, outcome: Outcome): void {
    const { env, workerId } = this.#about;
    const { task, policy, token } = run.lease;
    const context = { task, policy, at: env.now(), random: env.random() };
    const settled: Settled = decide(context, outcome);
    run.state = 'settling';
    this.#waiting.push({
      run,
      settlement: { id: task.id, token, workerId, startedAt: run.startedAt, settled },
    });
    if (this.#busy) return;
    this.#busy = true;
    env.timers.soon(() => void this.#work());
  }

  /** Resolves when every settlement so far has been answered. */
  idle(): Promise<void> {
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  /** Gives up what the store has not answered: its leases run out, and the tasks run again. */
  close(): void {
    this.#closed = true;
    this.#backoff.cut();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#closed) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      this.#flying = batch.length;
      await this.#send(batch);
      this.#flying = 0;
    }
    for (const { run } of this.#waiting.splice(0)) this.#answer(run, 'unanswered');
    this.#busy = false;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #send(batch: readonly Entry[]): Promise<void> {
    try {
      const results = await this.#about.source.settle(
        batch.map((entry) => entry.settlement),
        this.#about.call(),
      );
      this.#backoff.reset();
      for (const [i, { run }] of batch.entries()) this.#answer(run, results[i]?.outcome ?? 'unanswered');
    } catch (thrown) {
      await this.#failed(batch, thrown);
    }
  }

  /** A settlement may be repeated: the token makes the second one harmless. */
  async #failed(batch: readonly Entry[], thrown: unknown): Promise<void> {
    const hopeless = thrown instanceof EngineError && !thrown.retryable && thrown.outcome === 'none';
    if (!hopeless && !this.#closed) {
      this.#waiting = [...batch, ...this.#waiting];
      await this.#backoff.wait('settle', thrown);
      return;
    }
    // One item that the store refuses must not take the others with it.
    if (batch.length > 1 && !this.#closed) {
      for (const entry of batch) await this.#send([entry]);
      return;
    }
    for (const { run } of batch) this.#answer(run, 'unanswered');
    this.#about.env.log('error', 'the store refused a settlement; its lease will run out', {
      task_id: batch[0]?.settlement.id,
      error: thrown instanceof Error ? thrown.message : String(thrown),
    });
  }

  #answer(run: Run, answer: SettleResult['outcome'] | 'unanswered'): void {
    run.state = 'closed';
    this.#about.onAnswer(run, answer);
  }
}
