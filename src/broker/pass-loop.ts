// One maintenance pass, over and over: at once while there is more, else asleep until the store says something is due.
import type { Instant } from '../core/task.ts';
import type { BrokerEnv } from './env.ts';

export interface Pass {
  readonly name: string;
  /** One bounded pass. `more`: run again at once. */
  run(): Promise<{ readonly more: boolean; readonly nextAt: Instant | null }>;
  /** The longest sleep, ms: other servers may add work that this one does not hear of. */
  readonly idleMs: number;
}

const FAILURE_FIRST_MS = 250;
const FAILURE_MAX_MS = 30_000;

export class PassLoop {
  readonly #env: Pick<BrokerEnv, 'clock' | 'timers' | 'random' | 'log'>;
  readonly #pass: Pass;
  #cancelTimer: (() => void) | null = null;
  /** While a pass runs: the earliest of what comes due meanwhile, which the pass may not have seen. */
  #wakeAt: Instant = Number.POSITIVE_INFINITY;
  #running: Promise<void> = Promise.resolve();
  #busy = false;
  #stopped = false;
  #failures = 0;

  constructor(env: Pick<BrokerEnv, 'clock' | 'timers' | 'random' | 'log'>, pass: Pass) {
    this.#env = env;
    this.#pass = pass;
  }

  start(): void {
    this.#sleepUntil(this.#env.clock.now());
  }

  /** Something comes due at this time: wake then, if the loop meant to sleep longer. */
  due(at: Instant): void {
    if (at >= this.#wakeAt) return;
    if (this.#busy) this.#wakeAt = at;
    else this.#sleepUntil(at);
  }

  /** Resolves when the pass under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#running;
  }

  #sleepUntil(at: Instant): void {
    if (this.#stopped) return;
    this.#cancelTimer?.();
    const now = this.#env.clock.now();
    this.#wakeAt = at;
    const ms = Math.max(0, at - now);
    this.#cancelTimer = this.#env.timers.after(ms, () => {
      this.#running = this.#runOnce();
    });
  }

  async #runOnce(): Promise<void> {
    const { clock, log, random } = this.#env;
    this.#wakeAt = Number.POSITIVE_INFINITY;
    this.#busy = true;
    let sleepMs: number;
    try {
      const { more, nextAt } = await this.#pass.run();
      const now = clock.now();
      const { idleMs } = this.#pass;
      const untilDue = nextAt === null ? idleMs : Math.min(idleMs, nextAt - now);
      sleepMs = more ? 0 : untilDue;
      this.#failures = 0;
    } catch (error) {
      const nominal = Math.min(FAILURE_MAX_MS, FAILURE_FIRST_MS * 2 ** this.#failures);
      sleepMs = nominal * (0.8 + 0.4 * random());
      this.#failures += 1;
      log('warn', 'a maintenance pass failed', {
        pass: this.#pass.name,
        error: String(error),
        retry_ms: sleepMs,
      });
    }
    this.#busy = false;
    this.#sleepUntil(Math.min(clock.now() + sleepMs, this.#wakeAt));
  }
}
