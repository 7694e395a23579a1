// Waits between tries against a store that fails: doubling, with jitter, cut short on stop; one log line per outage.
import type { Cancel, WorkerEnv } from './env.ts';

export class Backoff {
  readonly #env: Pick<WorkerEnv, 'timers' | 'random' | 'log'>;
  readonly #firstMs: number;
  readonly #maxMs: number;
  #tries = 0;
  #cut = false;
  readonly #waits = new Set<{ readonly cancel: Cancel; readonly resolve: () => void }>();

  constructor(env: Pick<WorkerEnv, 'timers' | 'random' | 'log'>, firstMs: number, maxMs: number) {
    this.#env = env;
    this.#firstMs = firstMs;
    this.#maxMs = maxMs;
  }

  /** The last try worked. */
  reset(): void {
    if (this.#tries === 0) return;
    this.#tries = 0;
    this.#env.log('info', 'the store answers again');
  }

  /** Resolves after the next delay, at once when cut. */
  wait(what: string, thrown: unknown): Promise<void> {
    if (this.#cut) return Promise.resolve();
    if (this.#tries === 0) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.#env.log('warn', `${what} failed; trying again`, { error });
    }
    const nominal = Math.min(this.#maxMs, this.#firstMs * 2 ** this.#tries);
    this.#tries += 1;
    // Half to whole, so that many workers do not come back in step.
    const delay = nominal * (0.5 + this.#env.random() / 2);
    return new Promise((resolve) => {
      const cancel = this.#env.timers.after(delay, () => {
        this.#waits.delete(wait);
        resolve();
      });
      const wait = { cancel, resolve };
      this.#waits.add(wait);
    });
  }

  /** Ends the waits that run, and every later one at once. */
  cut(): void {
    this.#cut = true;
    for (const { cancel, resolve } of this.#waits) {
      cancel();
      resolve();
    }
    this.#waits.clear();
  }
}
