import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { OrderBook, type Pick, type StoredPlace, shares } from './order.ts';

const AGING = 60_000;
const free = () => false;

interface Waiting extends Pick {
  readonly at: number;
  readonly n: number;
}

/** The least queue that an order book can order: lines of what waits, nothing else. */
class Lines {
  book = new OrderBook();
  readonly #weights: Readonly<Record<string, number>>;
  readonly #lines = new Map<string, Waiting[]>();
  #made = 0;

  constructor(weights: Readonly<Record<string, number>> = {}) {
    this.#weights = weights;
  }

  submit(priority: number, tenant: string, at: number): void {
    const line = this.#line({ priority, tenant });
    line.push({ priority, tenant, at, n: this.#made++ });
    if (line.length === 1) this.book.head({ priority, tenant }, at, this.#weight(tenant));
  }

  start(aging = AGING, blocked: (tenant: string) => boolean = free): Waiting | null {
    const pick = this.book.next(aging, blocked);
    if (pick === null) return null;
    const line = this.#line(pick);
    const started = line.shift();
    this.book.taken(pick, line[0]?.at ?? null, this.#weight(pick.tenant));
    return started ?? null;
  }

  waiting(): Waiting[] {
    return [...this.#lines.values()].flat();
  }

  /** Stores the places and builds the book anew, as a restart does. */
  restart(): void {
    const places: StoredPlace[] = [];
    for (const [head] of this.#lines.values()) {
      const place = head && this.book.place(head);
      if (head && place) places.push({ ...place, priority: head.priority });
    }
    const clocks = Array.from({ length: 10 }, (_, priority) => this.book.laneClock(priority));
    this.book = new OrderBook();
    this.book.restore(places, clocks);
  }

  #weight(tenant: string): number {
    return this.#weights[tenant] ?? 1;
  }

  #line({ priority, tenant }: Pick): Waiting[] {
    const key = `${priority}/${tenant}`;
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    return line;
  }
}

function fill(lines: Lines, tenants: readonly string[], each: number): void {
  for (const tenant of tenants) for (let i = 0; i < each; i += 1) lines.submit(5, tenant, i);
}

function startedTenants(
  lines: Lines,
  count: number,
  blocked = free as (tenant: string) => boolean,
): string[] {
  return Array.from({ length: count }, () => lines.start(AGING, blocked)?.tenant ?? 'none');
}

describe('lanes', () => {
  it('take the higher priority first among equals in age', () => {
    const lines = new Lines();
    for (const priority of [0, 9, 5]) lines.submit(priority, '', 100);
    expect([lines.start(), lines.start(), lines.start()].map((task) => task?.priority)).toEqual([9, 5, 0]);
    expect(lines.start()).toBeNull();
  });

  it('let an old low one pass a young high one', () => {
    const lines = new Lines();
    lines.submit(1, '', 0);
    lines.submit(9, '', 8 * AGING);
    expect(lines.start()?.priority).toBe(9);
    lines.submit(9, '', 8 * AGING + 1);
    expect(lines.start()?.priority).toBe(1);
  });

  it('are strict with no ageing', () => {
    const lines = new Lines();
    lines.submit(1, '', 0);
    lines.submit(2, '', 1e12);
    expect(lines.start(0)?.priority).toBe(2);
  });

  const anyHistory = fc.array(
    fc.record({
      priority: fc.nat(9),
      tenant: fc.constantFrom('a', 'b', 'c'),
      after: fc.nat(AGING),
      starts: fc.nat(2),
    }),
    { minLength: 1, maxLength: 150 },
  );

  it('never let a task be overtaken by one of priority q that came more than (q - p) x ageing later (I23)', () => {
    holds(
      fc.property(anyHistory, fc.integer({ min: 1, max: AGING }), (history, aging) => {
        const lines = new Lines();
        let at = 0;
        for (const { priority, after, starts } of history) {
          at += after;
          lines.submit(priority, '', at);
          for (let i = 0; i < starts; i += 1) {
            const started = lines.start(aging);
            if (started === null) continue;
            for (const left of lines.waiting()) {
              expect(started.at - left.at).toBeLessThanOrEqual((started.priority - left.priority) * aging);
            }
          }
        }
      }),
    );
  });

  it('hold the same bound between the oldest heads of lanes when tenants take turns inside them', () => {
    holds(
      fc.property(anyHistory, (history) => {
        const lines = new Lines();
        let at = 0;
        for (const { priority, tenant, after, starts } of history) {
          at += after;
          lines.submit(priority, tenant, at);
          for (let i = 0; i < starts; i += 1) {
            const before = lines.waiting();
            const started = lines.start();
            if (started === null) continue;
            const oldest = Math.min(
              ...before.filter((w) => w.priority === started.priority).map((w) => w.at),
            );
            for (const left of lines.waiting()) {
              expect(oldest - left.at).toBeLessThanOrEqual((started.priority - left.priority) * AGING);
            }
          }
        }
      }),
    );
  });

  it('start everything that waits, each tenant in its own order (I22)', () => {
    holds(
      fc.property(anyHistory, (history) => {
        const lines = new Lines();
        for (const [at, { priority, tenant }] of history.entries()) lines.submit(priority, tenant, at);
        const last = new Map<string, number>();
        for (let i = 0; i < history.length; i += 1) {
          const started = lines.start();
          const key = `${started?.priority}/${started?.tenant}`;
          expect(started?.n).toBeGreaterThan(last.get(key) ?? -1);
          last.set(key, started?.n ?? -1);
        }
        expect(lines.start()).toBeNull();
        expect(lines.book.oldestAt()).toBeNull();
      }),
    );
  });
});

describe('tenants', () => {
  it('of equal weight go round, one task a turn', () => {
    const lines = new Lines();
    fill(lines, ['a', 'b', 'c'], 10);
    expect(startedTenants(lines, 6)).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('share by weight at every moment, within one turn of each other', () => {
    const anyWeights = fc.array(fc.integer({ min: 1, max: 16 }), { minLength: 2, maxLength: 6 });
    holds(
      fc.property(anyWeights, (weights) => {
        const names = weights.map((_, i) => `t${i}`);
        const lines = new Lines(Object.fromEntries(names.map((name, i) => [name, weights[i] ?? 1])));
        fill(lines, names, 200);
        const counts = new Map(names.map((name) => [name, 0]));
        for (let i = 0; i < 200; i += 1) {
          const tenant = lines.start()?.tenant ?? '';
          counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
          const turns = names.map((name, k) => (counts.get(name) ?? 0) / (weights[k] ?? 1));
          const widest = 1 / Math.min(...weights);
          expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(widest + 1e-9);
        }
      }),
    );
  });

  it('gain nothing by leaving and coming back', () => {
    const lines = new Lines();
    fill(lines, ['big'], 100);
    const seen: string[] = [];
    for (let i = 0; i < 40; i += 1) {
      if (!lines.waiting().some((w) => w.tenant === 'small')) lines.submit(5, 'small', 200 + i);
      seen.push(lines.start()?.tenant ?? '');
    }
    const small = seen.filter((tenant) => tenant === 'small').length;
    expect(small).toBeGreaterThanOrEqual(19);
    expect(small).toBeLessThanOrEqual(20);
  });

  it('at their limit step aside and block nobody', () => {
    const lines = new Lines();
    fill(lines, ['a', 'b'], 10);
    expect(startedTenants(lines, 3, (tenant) => tenant === 'a')).toEqual(['b', 'b', 'b']);
    expect(lines.start(AGING, () => true)).toBeNull();
  });

  it('are owed nothing for the time they stood aside', () => {
    const lines = new Lines();
    fill(lines, ['a', 'b'], 50);
    startedTenants(lines, 20, (tenant) => tenant === 'a');
    lines.book.unblock('a');
    const { length } = startedTenants(lines, 10).filter((tenant) => tenant === 'a');
    expect(length).toBeGreaterThanOrEqual(5);
    expect(length).toBeLessThanOrEqual(6);
  });

  it('show their oldest head also while they stand aside', () => {
    const lines = new Lines();
    lines.submit(5, 'a', 10);
    lines.submit(3, 'b', 20);
    lines.start(AGING, () => true);
    expect(lines.book.oldestAt()).toBe(10);
    lines.book.unblockAll();
    expect(startedTenants(lines, 2)).toEqual(['a', 'b']);
  });

  it('may be called like anything', () => {
    const lines = new Lines();
    fill(lines, ['__proto__', 'constructor', ''], 2);
    expect(new Set(startedTenants(lines, 6))).toEqual(new Set(['__proto__', 'constructor', '']));
  });
});

describe('a restart', () => {
  const anyTenant = fc.constantFrom('a', 'b', 'c');
  const anyMove = fc.oneof(
    fc.record({ act: fc.constant('submit' as const), priority: fc.constantFrom(2, 5), tenant: anyTenant }),
    fc.record({ act: fc.constantFrom('start' as const, 'start' as const, 'restart' as const) }),
    fc.record({ act: fc.constantFrom('block' as const, 'unblock' as const), tenant: anyTenant }),
  );

  it('continues the order exactly', () => {
    holds(
      fc.property(fc.array(anyMove, { maxLength: 150 }), (moves) => {
        const weights = { b: 3, c: 2 };
        const kept = new Lines(weights);
        const restarted = new Lines(weights);
        fill(kept, ['a', 'b'], 20);
        fill(restarted, ['a', 'b'], 20);
        const full = new Set<string>();
        const blocked = (tenant: string) => full.has(tenant);
        for (const [at, move] of moves.entries()) {
          if (move.act === 'start')
            expect(restarted.start(AGING, blocked)).toEqual(kept.start(AGING, blocked));
          if (move.act === 'restart') restarted.restart();
          if (move.act === 'block') full.add(move.tenant);
          if (move.act === 'unblock') full.delete(move.tenant);
          for (const lines of [kept, restarted]) {
            if (move.act === 'submit') lines.submit(move.priority, move.tenant, at);
            if (move.act === 'unblock') lines.book.unblock(move.tenant);
          }
        }
      }),
      2000,
    );
  });

  it('keeps what stood aside from being owed turns', () => {
    const lines = new Lines();
    fill(lines, ['a', 'b'], 50);
    startedTenants(lines, 20, (tenant) => tenant === 'a');
    lines.restart();
    const { length } = startedTenants(lines, 10).filter((tenant) => tenant === 'a');
    expect(length).toBeLessThanOrEqual(6);
  });
});

describe('OrderBook', () => {
  it('forgets every line at a purge', () => {
    const lines = new Lines();
    fill(lines, ['a', 'b'], 3);
    lines.book.clear();
    expect(lines.book.next(AGING, free)).toBeNull();
    expect(lines.book.oldestAt()).toBeNull();
  });

  it('follows a head that changed without a start', () => {
    const book = new OrderBook();
    const pick = { priority: 5, tenant: 'a' };
    book.head(pick, 100, 1);
    book.head(pick, 50, 1);
    expect(book.oldestAt()).toBe(50);
    book.head(pick, null, 1);
    expect(book.place(pick)).toBeUndefined();
    expect(book.next(AGING, free)).toBeNull();
  });

  it('refuses a priority that is none', () => {
    expect(() => new OrderBook().head({ priority: 10, tenant: '' }, 1, 1)).toThrow(RangeError);
  });
});

describe('shares', () => {
  it('sum to the maximum, near to their weight, first listed first', () => {
    expect(shares(10, [1, 1, 1])).toEqual([4, 3, 3]);
    expect(shares(1, [1, 5])).toEqual([1, 0]);
    expect(shares(0, [1, 2])).toEqual([0, 0]);
    const anyWeights = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 });
    holds(
      fc.property(fc.integer({ min: 1, max: 100 }), anyWeights, (max, weights) => {
        const parts = shares(max, weights);
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(max);
        for (const [i, part] of parts.entries()) {
          expect(Math.abs(part - (max * (weights[i] ?? 0)) / total)).toBeLessThan(weights.length);
        }
      }),
    );
  });
});
