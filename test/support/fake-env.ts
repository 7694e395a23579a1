// A worker's surroundings under a test's control: time moves only by `advance`.
import type { WorkerEnv } from '../../src/worker/env.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export class FakeEnv implements WorkerEnv {
  /** Store time = monotonic time + this. */
  offset = 1_700_000_000_000;
  readonly lines: LogLine[] = [];
  #elapsed = 0;
  #nonce = 0;
  #timers = new Set<Timer>();
  #soon: (() => void)[] = [];

  now = () => this.offset + this.#elapsed;
  elapsed = () => this.#elapsed;
  random = () => 0.5;
  nonce = () => {
    this.#nonce += 1;
    return `nonce-${this.#nonce}`;
  };
  log: WorkerEnv['log'] = (level, message, fields = {}) => {
    this.lines.push({ level, message, fields });
  };
  timers = {
    after: (ms: number, fire: () => void) => {
      const timer = { at: this.#elapsed + Math.max(0, ms), fire };
      this.#timers.add(timer);
      return () => {
        this.#timers.delete(timer);
      };
    },
    soon: (fire: () => void) => {
      this.#soon.push(fire);
    },
  };

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Lets everything happen that needs no time to pass. */
  async settle(): Promise<void> {
    // Real macrotasks drain promise chains of any length; a few in a row cover chains that start others.
    for (let quiet = 0; quiet < 3; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const due = this.#soon.splice(0);
      if (due.length > 0) quiet = -1;
      for (const fire of due) fire();
    }
  }

  /** Moves time, timer by timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsed + ms;
    await this.settle();
    for (;;) {
      const due = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#elapsed = Math.max(this.#elapsed, due.at);
      due.fire();
      await this.settle();
    }
    this.#elapsed = end;
    await this.settle();
  }
}
