// What the server knows of its queues between two looks at the store: loads at most 250 ms old, and how fast it completes.
import { homeOf } from '../core/id.ts';
import { isFinal } from '../core/task.ts';
import type { SettleResult } from '../engine/messages.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import type { QueueLoad } from '../engine/records.ts';
import { PAGE_MAX } from '../engine/wrap-checks.ts';
import type { BrokerEnv } from './env.ts';

const FRESH_MS = 250;
const WINDOW_S = 10;

interface Seconds {
  /** Completions by second, a ring of WINDOW_S. */
  readonly counts: number[];
  /** The second that the newest count belongs to. */
  newest: number;
}

export class Gauges {
  readonly #env: Pick<BrokerEnv, 'engine' | 'clock'>;
  readonly #startedAt: number;
  readonly #completed = new Map<number, Seconds>();
  #loads = new Map<string, Promise<QueueLoad | null>>();
  #loadsAt = 0;
  #pending: Promise<number> | null = null;
  #pendingAt = 0;

  constructor(env: Pick<BrokerEnv, 'engine' | 'clock'>) {
    this.#env = env;
    this.#startedAt = env.clock.now();
  }

  /** Counts the tasks that these settlements finished, by the queue number in their ids. */
  settled(batch: readonly { readonly id: string }[], results: readonly SettleResult[]): void {
    const second = Math.floor(this.#env.clock.now() / 1000);
    batch.forEach(({ id }, index) => {
      const result = results[index];
      if (result?.outcome !== 'settled' || result.status === null || !isFinal(result.status)) return;
      const { queueNumber } = homeOf(id);
      const seconds = this.#completed.get(queueNumber) ?? {
        counts: Array<number>(WINDOW_S).fill(0),
        newest: second,
      };
      this.#completed.set(queueNumber, seconds);
      roll(seconds, second);
      const slot = second % WINDOW_S;
      seconds.counts[slot] = (seconds.counts[slot] ?? 0) + 1;
    });
  }

  /** Completions per second over the last 10 s (or since the start); of one queue number, or of all. */
  completionPerS(queueNumber?: number): number {
    const now = this.#env.clock.now();
    const second = Math.floor(now / 1000);
    const window = Math.min(WINDOW_S, Math.max(1, (now - this.#startedAt) / 1000));
    let sum = 0;
    for (const [number, seconds] of this.#completed) {
      if (queueNumber !== undefined && number !== queueNumber) continue;
      roll(seconds, second);
      for (const count of seconds.counts) sum += count;
    }
    return sum / window;
  }

  /** The queue's load, at most 250 ms old; null: no such queue. */
  load(queue: string): Promise<QueueLoad | null> {
    const now = this.#env.clock.now();
    if (now - this.#loadsAt >= FRESH_MS || now < this.#loadsAt) {
      this.#loads = new Map();
      this.#loadsAt = now;
    }
    const known = this.#loads.get(queue);
    if (known !== undefined) return known;
    const asked = this.#env.engine
      .load([queue], { at: now, principal: ANONYMOUS })
      .then(([load]) => load ?? null);
    const loads = this.#loads.set(queue, asked);
    asked.catch(() => loads.delete(queue));
    return asked;
  }

  /** Sum of all queues' depths, at most 250 ms old. */
  pending(): Promise<number> {
    const now = this.#env.clock.now();
    if (this.#pending === null || now - this.#pendingAt >= FRESH_MS || now < this.#pendingAt) {
      this.#pendingAt = now;
      this.#pending = this.#sumDepths(now);
      this.#pending.catch(() => {
        this.#pending = null;
      });
    }
    return this.#pending;
  }

  async #sumDepths(at: number): Promise<number> {
    const { engine } = this.#env;
    const call = { at, principal: ANONYMOUS };
    let sum = 0;
    let cursor: string | null = null;
    do {
      const page: { items: readonly string[]; next: string | null } = await engine.queues(
        { limit: PAGE_MAX, cursor },
        call,
      );
      for (const load of await engine.load(page.items, call))
        sum += (load?.queued ?? 0) + (load?.running ?? 0);
      cursor = page.next;
    } while (cursor !== null);
    return sum;
  }
}

/** Empties the seconds that have passed since the newest one. */
function roll(seconds: Seconds, second: number): void {
  const passed = second - seconds.newest;
  if (passed <= 0) return;
  for (let step = 1; step <= Math.min(passed, WINDOW_S); step += 1) {
    seconds.counts[(seconds.newest + step) % WINDOW_S] = 0;
  }
  seconds.newest = second;
}
