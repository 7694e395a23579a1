// One lane (a queue at one priority): whose turn is it among its tenants?
//
// Stride scheduling (Waldspurger and Weihl, 1995): each active tenant has a `pass`; the smallest goes next and then
// moves on by 1/weight. Ties go to who has waited longest (`ord`), so that equal weights are a plain round robin.
// A tenant that joins starts one stride behind the turn just taken: leaving and coming back gains nothing.
import { IndexedHeap } from './heap.ts';
import type { Instant } from './task.ts';

/** Divisible by 1..16, so that small weights give exact strides. */
const STRIDE_ONE = 720_720;

export interface LaneEntry {
  readonly tenant: string;
  pass: number;
  ord: number;
  /** available_at of the first task in the tenant's line. */
  headAt: Instant;
}

export class Lane {
  readonly #entries = new Map<string, LaneEntry>();
  readonly #byTurn = new IndexedHeap<LaneEntry>(
    (a, b) => a.pass < b.pass || (a.pass === b.pass && a.ord < b.ord),
  );
  readonly #byHead = new IndexedHeap<LaneEntry>((a, b) => a.headAt < b.headAt);
  readonly #parked = new Set<LaneEntry>();
  /** The pass of the turn taken last. */
  time = 0;
  nextOrd = 0;

  entry(tenant: string): LaneEntry | undefined {
    return this.#entries.get(tenant);
  }

  entries(): Iterable<LaneEntry> {
    return this.#entries.values();
  }

  /**
   * Puts a tenant back as it was stored. Only one that stood aside can have been passed by the lane's time; that it is
   * owed nothing is not stored, so it is settled here.
   */
  restore(entry: LaneEntry): void {
    entry.pass = Math.max(entry.pass, this.time);
    this.#entries.set(entry.tenant, entry);
    this.#byTurn.add(entry);
    this.#byHead.add(entry);
  }

  join(tenant: string, headAt: Instant, weight: number): void {
    this.restore({ tenant, pass: this.time + stride(weight), ord: this.nextOrd++, headAt });
  }

  /** The line has another head (null: it is empty and the tenant leaves); no turn is spent. */
  headChanged(entry: LaneEntry, headAt: Instant | null): void {
    if (headAt === null) {
      this.#leave(entry);
      return;
    }
    entry.headAt = headAt;
    this.#byHead.update(entry);
  }

  /** The tenant's head was taken: its turn moves on, and the line has another head or is empty. */
  turnTaken(entry: LaneEntry, nextHeadAt: Instant | null, weight: number): void {
    this.time = Math.max(this.time, entry.pass);
    entry.pass += stride(weight);
    entry.ord = this.nextOrd++;
    this.#byTurn.update(entry);
    this.headChanged(entry, nextHeadAt);
  }

  /** The tenant whose turn it is, and the age of the lane's oldest head; blocked tenants step aside until unblocked. */
  front(
    blocked: (tenant: string) => boolean,
  ): { readonly turn: LaneEntry; readonly oldestAt: Instant } | null {
    const turn = this.#settle(this.#byTurn, blocked);
    const oldest = this.#settle(this.#byHead, blocked);
    return turn && oldest ? { turn, oldestAt: oldest.headAt } : null;
  }

  unblock(tenant: string): void {
    const entry = this.#entries.get(tenant);
    if (entry && this.#parked.delete(entry)) {
      // What passed while it was blocked is not owed to it.
      entry.pass = Math.max(entry.pass, this.time);
      this.#byTurn.add(entry);
      this.#byHead.add(entry);
    }
  }

  unblockAll(): void {
    for (const entry of [...this.#parked]) this.unblock(entry.tenant);
  }

  /** available_at of the oldest head, blocked tenants included. */
  oldestAt(): Instant | null {
    let oldest = this.#byHead.peek()?.headAt ?? null;
    for (const { headAt } of this.#parked) if (oldest === null || headAt < oldest) oldest = headAt;
    return oldest;
  }

  clear(): void {
    this.#entries.clear();
    this.#byTurn.clear();
    this.#byHead.clear();
    this.#parked.clear();
    this.#rewind();
  }

  #settle(heap: IndexedHeap<LaneEntry>, blocked: (tenant: string) => boolean): LaneEntry | undefined {
    for (;;) {
      const top = heap.peek();
      if (top === undefined || !blocked(top.tenant)) return top;
      this.#byTurn.remove(top);
      this.#byHead.remove(top);
      this.#parked.add(top);
    }
  }

  #leave(entry: LaneEntry): void {
    this.#entries.delete(entry.tenant);
    this.#byTurn.remove(entry);
    this.#byHead.remove(entry);
    this.#parked.delete(entry);
    if (this.#entries.size === 0) this.#rewind();
  }

  #rewind(): void {
    this.time = 0;
    this.nextOrd = 0;
  }
}

function stride(weight: number): number {
  return Math.max(1, Math.floor(STRIDE_ONE / weight));
}
