// Whether the store takes what is submitted, as the submissions of this server have met it: told once an interval, not each time.
import { EngineError } from '../engine/errors.ts';
import type { BrokerEnv } from './env.ts';

/** A failure that nothing has followed counts for so long, ms; and one log line stands for all failures within it. */
const INTERVAL_MS = 10_000;

export class StoreHealth {
  readonly #env: Pick<BrokerEnv, 'clock' | 'log'>;
  #failedAt = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #untold = 0;
  #failing = false;

  constructor(env: Pick<BrokerEnv, 'clock' | 'log'>) {
    this.#env = env;
  }

  /** Passes the call's outcome on, and takes note of it. */
  async watch<T>(call: Promise<T>): Promise<T> {
    try {
      const result = await call;
      this.#failing = false;
      return result;
    } catch (error) {
      if (error instanceof EngineError && error.retryable) this.#failed(error);
      throw error;
    }
  }

  /** The last submission failed, and not long ago. */
  get failing(): boolean {
    return this.#failing && this.#env.clock.now() - this.#failedAt < INTERVAL_MS;
  }

  #failed(error: EngineError): void {
    const now = this.#env.clock.now();
    this.#failing = true;
    this.#failedAt = now;
    this.#untold += 1;
    if (now - this.#toldAt < INTERVAL_MS) return;
    const { cause } = error;
    const fields = {
      code: error.code,
      error: error.message,
      cause: cause === undefined ? null : String(cause),
    };
    this.#env.log('warn', 'the store takes no submissions', { ...fields, failures: this.#untold });
    this.#toldAt = now;
    this.#untold = 0;
  }
}
