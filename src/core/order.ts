// Which task of a queue starts next: lanes by aged priority, tenants in turns inside a lane (lane.ts).
// The book knows heads and turns only; the lines themselves are the engine's. Memory: O(active tenants), not O(tasks).
//
// Lane heads compare by available_at - priority x aging: a task is never overtaken by one of priority q that came
// more than (q - p) x aging later. The lane's oldest head counts, not the head of whose turn it is: a young tenant's
// turn must not make an old lane look young.
import { Lane, type LaneEntry } from './lane.ts';
import { type Instant, PRIORITIES } from './task.ts';

export interface Pick {
  readonly priority: number;
  readonly tenant: string;
}

/** One stored ring place, as an engine persists it. */
export interface StoredPlace extends Pick {
  readonly pass: number;
  readonly ord: number;
  readonly headAt: Instant;
}

export class OrderBook {
  readonly #lanes: readonly Lane[] = Array.from({ length: PRIORITIES }, () => new Lane());

  /** The next task's line, or null. Take its head, then call `taken`. */
  next(agingMs: number, blocked: (tenant: string) => boolean): Pick | null {
    let best: { priority: number; tenant: string; key: number } | null = null;
    for (let priority = PRIORITIES - 1; priority >= 0; priority -= 1) {
      const front = this.#lane(priority).front(blocked);
      if (front === null) continue;
      const { tenant } = front.turn;
      if (agingMs === 0) return { priority, tenant };
      const key = front.oldestAt - priority * agingMs;
      if (best === null || key < best.key) best = { priority, tenant, key };
    }
    return best && { priority: best.priority, tenant: best.tenant };
  }

  /** The head of that line was started; the turn is spent. nextHeadAt null: the line is empty now. */
  taken(pick: Pick, nextHeadAt: Instant | null, weight: number): void {
    const lane = this.#lane(pick.priority);
    const entry = lane.entry(pick.tenant);
    if (entry) lane.turnTaken(entry, nextHeadAt, weight);
  }

  /** The line has this head now (joined, released in front, or its head was cancelled or expired); null: empty. */
  head(pick: Pick, headAt: Instant | null, weight: number): void {
    const lane = this.#lane(pick.priority);
    const entry = lane.entry(pick.tenant);
    if (entry) lane.headChanged(entry, headAt);
    else if (headAt !== null) lane.join(pick.tenant, headAt, weight);
  }

  /** A tenant has room again: call when its running count fell or its limit rose. */
  unblock(tenant: string): void {
    for (const lane of this.#lanes) lane.unblock(tenant);
  }

  unblockAll(): void {
    for (const lane of this.#lanes) lane.unblockAll();
  }

  /** available_at of the oldest head in any lane. */
  oldestAt(): Instant | null {
    let oldest: Instant | null = null;
    for (const lane of this.#lanes) {
      const at = lane.oldestAt();
      if (at !== null && (oldest === null || at < oldest)) oldest = at;
    }
    return oldest;
  }

  /** Purge: every line is empty. */
  clear(): void {
    for (const lane of this.#lanes) lane.clear();
  }

  place(pick: Pick): Readonly<LaneEntry> | undefined {
    return this.#lane(pick.priority).entry(pick.tenant);
  }

  /** The two figures of a lane that outlive its tenants' places. */
  laneClock(priority: number): { readonly time: number; readonly nextOrd: number } {
    const { time, nextOrd } = this.#lane(priority);
    return { time, nextOrd };
  }

  restore(
    places: Iterable<StoredPlace>,
    clocks: readonly { readonly time: number; readonly nextOrd: number }[],
  ): void {
    clocks.forEach((clock, priority) => {
      Object.assign(this.#lane(priority), { time: clock.time, nextOrd: clock.nextOrd });
    });
    for (const { priority, tenant, pass, ord, headAt } of places) {
      this.#lane(priority).restore({ tenant, pass, ord, headAt });
    }
  }

  #lane(priority: number): Lane {
    const lane = this.#lanes[priority];
    if (lane === undefined) throw new RangeError(`priority ${priority} is not in 0..${PRIORITIES - 1}`);
    return lane;
  }
}

/** Shares `max` out by weight in listed order; the parts sum to max. */
export function shares(max: number, weights: readonly number[]): number[] {
  let left = max;
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => {
    const part = weightLeft > 0 ? Math.min(left, Math.ceil((left * weight) / weightLeft)) : 0;
    left -= part;
    weightLeft -= weight;
    return part;
  });
}
