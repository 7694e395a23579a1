import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { type CountLoad, countRefusal, positionOf, unreservedDepth } from './admission.ts';
import { DEFAULT_SETTINGS, type QueueSettings } from './settings.ts';

const EMPTY: CountLoad = { queued: 0, running: 0, waitingForTime: 0, bytes: 0, tenantDepth: 0 };
const settings = (over: Partial<QueueSettings>): QueueSettings => ({ ...DEFAULT_SETTINGS, ...over });
const DUE = { delayed: false, priority: 5, bytes: 10 };
const DELAYED = { ...DUE, delayed: true };

describe('countRefusal', () => {
  it('admits while depth is below the limit, and refuses from it on', () => {
    const bound = settings({ maxDepth: 3 });
    expect(countRefusal({ ...EMPTY, queued: 1, running: 1 }, bound, DUE)).toBeNull();
    expect(countRefusal({ ...EMPTY, queued: 2, running: 1 }, bound, DUE)).toEqual({
      outcome: 'full',
      limitName: 'max_depth',
      depth: 3,
      limit: 3,
    });
    expect(countRefusal({ ...EMPTY, queued: 9, running: 1 }, bound, DUE)).toMatchObject({ depth: 10 });
  });

  it('is closed at max_depth 0', () => {
    expect(countRefusal(EMPTY, settings({ maxDepth: 0 }), DUE)).toMatchObject({
      limitName: 'max_depth',
      limit: 0,
    });
  });

  it('does not count scheduled and retrying tasks against depth', () => {
    expect(countRefusal({ ...EMPTY, waitingForTime: 1000 }, settings({ maxDepth: 1 }), DUE)).toBeNull();
  });

  it('bounds delayed work by max_scheduled and bytes only', () => {
    const tight = settings({ maxDepth: 0, tenantMaxDepth: 1, maxScheduled: 2, maxBytes: 100 });
    const load = { ...EMPTY, tenantDepth: 5, waitingForTime: 1, bytes: 90 };
    expect(countRefusal(load, tight, DELAYED)).toBeNull();
    expect(countRefusal({ ...load, waitingForTime: 2 }, tight, DELAYED)).toMatchObject({
      limitName: 'max_scheduled',
      depth: 2,
      limit: 2,
    });
    expect(countRefusal({ ...load, bytes: 91 }, tight, DELAYED)).toMatchObject({
      limitName: 'max_bytes',
      depth: 91,
    });
  });

  it('fills max_bytes exactly', () => {
    const bound = settings({ maxBytes: 100 });
    expect(countRefusal({ ...EMPTY, bytes: 90 }, bound, DUE)).toBeNull();
    expect(countRefusal({ ...EMPTY, bytes: 91 }, bound, DUE)).toMatchObject({
      limitName: 'max_bytes',
      limit: 100,
    });
  });

  it('answers the first bound hit in the order of the contract', () => {
    const all = settings({
      maxDepth: 1,
      maxScheduled: 0,
      maxBytes: 1,
      tenantMaxDepth: 1,
      reservedShare: { minPriority: 9, share: 1 },
    });
    const load = { queued: 1, running: 1, waitingForTime: 1, bytes: 1, tenantDepth: 1 };
    const names = (over: Partial<QueueSettings>, ask: typeof DUE) => {
      const refusal = countRefusal(load, { ...all, ...over }, ask);
      return refusal?.outcome === 'full' ? refusal.limitName : refusal?.outcome;
    };
    expect(names({}, DELAYED)).toBe('max_scheduled');
    expect(names({}, DUE)).toBe('tenant_full');
    expect(names({ tenantMaxDepth: null }, DUE)).toBe('max_bytes');
    expect(names({ tenantMaxDepth: null, maxBytes: null }, DUE)).toBe('max_depth');
    expect(names({ tenantMaxDepth: null, maxBytes: null, maxDepth: 4 }, DUE)).toBe('reserved_share');
  });

  it('never lets a new task in at or over any bound that binds it (I16)', () => {
    const small = fc.nat(12);
    const anyLoad = fc.record({
      queued: small,
      running: small,
      waitingForTime: small,
      bytes: fc.nat(200),
      tenantDepth: small,
    });
    const anySettings = fc
      .record({
        maxDepth: small,
        maxScheduled: small,
        maxBytes: fc.option(fc.nat(200)),
        tenantMaxDepth: fc.option(small),
      })
      .map(settings);
    holds(
      fc.property(anyLoad, anySettings, fc.boolean(), fc.nat(50), (load, bound, delayed, bytes) => {
        const admitted = countRefusal(load, bound, { delayed, priority: 5, bytes }) === null;
        const depth = load.queued + load.running;
        const fits = delayed
          ? load.waitingForTime < bound.maxScheduled
          : depth < bound.maxDepth &&
            (bound.tenantMaxDepth === null || load.tenantDepth < bound.tenantMaxDepth);
        expect(admitted).toBe(fits && (bound.maxBytes === null || load.bytes + bytes <= bound.maxBytes));
      }),
    );
  });
});

describe('unreservedDepth', () => {
  it('keeps the last floor(limit x share) places', () => {
    const kept = settings({ maxDepth: 25, reservedShare: { minPriority: 8, share: 0.1 } });
    expect(unreservedDepth(kept, 7)).toBe(23);
    expect(unreservedDepth(kept, 8)).toBe(25);
  });

  it('reads shares as the decimals they are, not as their doubles', () => {
    for (let percent = 0; percent <= 100; percent += 1) {
      const share = percent / 100;
      expect(unreservedDepth(settings({ maxDepth: 100, reservedShare: { minPriority: 1, share } }), 0)).toBe(
        100 - percent,
      );
    }
  });

  it('refuses with the open depth as the limit', () => {
    const kept = settings({ maxDepth: 10, reservedShare: { minPriority: 8, share: 0.5 } });
    expect(countRefusal({ ...EMPTY, queued: 5 }, kept, DUE)).toEqual({
      outcome: 'full',
      limitName: 'reserved_share',
      depth: 5,
      limit: 5,
    });
    expect(countRefusal({ ...EMPTY, queued: 5 }, kept, { ...DUE, priority: 8 })).toBeNull();
  });
});

describe('positionOf', () => {
  it('counts the same and higher priorities', () => {
    const queued = [1, 0, 0, 0, 0, 7, 0, 0, 0, 2];
    expect(positionOf(queued, 9)).toBe(2);
    expect(positionOf(queued, 5)).toBe(9);
    expect(positionOf(queued, 0)).toBe(10);
  });
});
