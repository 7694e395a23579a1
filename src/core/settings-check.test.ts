import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { DEFAULT_SETTINGS, type QueueSettings } from './settings.ts';
import { parseSettingsPatch, settingsToWire } from './settings-check.ts';
import { SETTINGS } from './settings-schema.ts';

function patchOf(raw: unknown) {
  const result = parseSettingsPatch(raw);
  if (!result.ok) throw new Error(`refused: ${result.problem.message}`);
  return result.patch;
}

function issuesOf(raw: unknown) {
  const result = parseSettingsPatch(raw);
  if (result.ok) throw new Error('not refused');
  expect(result.problem.code).toBe('INVALID_REQUEST');
  return result.problem.details.issues as { path: string; rule: string; did_you_mean?: string }[];
}
const refusedAt = (raw: unknown) => issuesOf(raw).map(({ path }) => path);

const FULL: QueueSettings = {
  ...DEFAULT_SETTINGS,
  maxDepth: 0,
  maxBytes: 1,
  reservedShare: { minPriority: 8, share: 0.1 },
  tenantMaxDepth: 2,
  tenantWeights: { gold: 10, '': 2 },
  maxRunning: 3,
  tenantMaxRunning: 1,
  rate: { limit: 10, perMs: 1000, burst: 5 },
  deadLetter: false,
};

describe('settings on the wire', () => {
  it('have a row in the table for each setting, in snake_case', () => {
    expect(Object.keys(settingsToWire(DEFAULT_SETTINGS))).toEqual(Object.keys(SETTINGS));
  });

  it('come back as they went out', () => {
    const { rate, reserved_share, tenant_weights } = settingsToWire(FULL);
    expect(rate).toEqual({ limit: 10, per_ms: 1000, burst: 5 });
    expect(reserved_share).toEqual({ min_priority: 8, share: 0.1 });
    expect(tenant_weights).toEqual({ gold: 10, '': 2 });
    expect(patchOf(JSON.parse(JSON.stringify(settingsToWire(FULL))))).toEqual(FULL);
  });

  it('show one queue its overrides alone', () => {
    expect(settingsToWire({ maxDepth: 5, rate: null })).toEqual({ max_depth: 5, rate: null });
  });
});

describe('a patch', () => {
  it('keeps what it does not name out, and null as null', () => {
    expect(patchOf({})).toEqual({});
    expect(patchOf({ max_depth: null, rate: null })).toEqual({ maxDepth: null, rate: null });
  });

  it('refuses every setting by the same table', () => {
    for (const name of Object.keys(SETTINGS)) {
      for (const odd of ['x', -1, [], Number.NaN])
        expect(refusedAt({ [name]: odd })[0]).toMatch(new RegExp(`^${name}`));
      expect(parseSettingsPatch({ [name]: null })).toMatchObject({ ok: true });
    }
  });

  it.each([
    ['max_depth', 0, 10_000_000],
    ['max_bytes', 0, 2 ** 50],
    ['max_scheduled', 0, 10_000_000],
    ['tenant_max_depth', 1, 10_000_000],
    ['max_running', 1, 1_000_000],
    ['tenant_max_running', 1, 1_000_000],
    ['priority_aging_ms', 0, 604_800_000],
    ['dlq_max', 1, 10_000_000],
    ['dlq_retention_s', 1, 315_360_000],
    ['lease_ms', 100, 86_400_000],
    ['task_retention_s', 0, 315_360_000],
    ['result_retention_s', 0, 315_360_000],
    ['max_lease_losses', 1, 1000],
    ['unknown_type_max_ms', 0, 2_592_000_000],
  ])('%s goes from %d to %d', (name, least, most) => {
    for (const fine of [least, most]) expect(patchOf({ [name]: fine })).toBeTruthy();
    for (const odd of [least - 1, most + 1, least + 0.5, String(least)])
      expect(refusedAt({ [name]: odd })).toEqual([name]);
  });

  it('suggests the name that was meant, and refuses those whose feature has not come', () => {
    expect(issuesOf({ max_depht: 1 })).toMatchObject([{ path: 'max_depht', did_you_mean: 'max_depth' }]);
    expect(issuesOf({ maxDepth: 1 })).toMatchObject([{ path: 'maxDepth', did_you_mean: 'max_depth' }]);
    for (const later of [
      'max_wait_ms',
      'downstream_limit',
      'on_expiry',
      'shards',
      'max_workers',
      'target_per_worker',
    ]) {
      expect(issuesOf({ [later]: 1 })).toMatchObject([{ path: later, rule: 'unknown field' }]);
    }
  });

  it('refuses what is no object', () => {
    for (const odd of [null, [], 'a', 1]) expect(refusedAt(odd)).toEqual(['']);
  });
});

describe('rate', () => {
  it('is evenly spaced where no burst is named', () => {
    expect(patchOf({ rate: { limit: 5, per_ms: 1000 } })).toEqual({
      rate: { limit: 5, perMs: 1000, burst: 1 },
    });
  });

  it('has bounds, also together', () => {
    expect(refusedAt({ rate: { limit: 0, per_ms: 0, burst: 0 } })).toEqual([
      'rate.limit',
      'rate.per_ms',
      'rate.burst',
    ]);
    expect(refusedAt({ rate: { limit: 5 } })).toEqual(['rate.per_ms']);
    expect(refusedAt({ rate: { limit: 5, perMs: 1000, per_ms: 1000 } })).toEqual(['rate.perMs']);
    expect(patchOf({ rate: { limit: 100, per_ms: 1 } })).toBeTruthy();
    expect(issuesOf({ rate: { limit: 101, per_ms: 1 } })).toMatchObject([
      { path: 'rate.limit', rule: 'at most 100 x per_ms' },
    ]);
  });
});

describe('reserved_share', () => {
  it('has bounds', () => {
    expect(patchOf({ reserved_share: { min_priority: 1, share: 1 } })).toBeTruthy();
    expect(refusedAt({ reserved_share: { min_priority: 0, share: 1.01 } })).toEqual([
      'reserved_share.min_priority',
      'reserved_share.share',
    ]);
    expect(refusedAt({ reserved_share: {} })).toEqual([
      'reserved_share.min_priority',
      'reserved_share.share',
    ]);
  });
});

describe('tenant_weights', () => {
  it('take any tenant name as data', () => {
    const raw = JSON.parse('{"tenant_weights":{"__proto__":3,"constructor":2,"":1}}');
    const { tenantWeights } = patchOf(raw);
    expect(Object.entries(tenantWeights ?? {})).toEqual([
      ['__proto__', 3],
      ['constructor', 2],
      ['', 1],
    ]);
    expect(JSON.stringify(settingsToWire({ tenantWeights: tenantWeights ?? {} }))).toBe(JSON.stringify(raw));
  });

  it('are at most 1000, each an integer 1..1000', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, 1]));
    expect(patchOf({ tenant_weights: many(1000) })).toBeTruthy();
    expect(refusedAt({ tenant_weights: many(1001) })).toEqual(['tenant_weights']);
    for (const odd of [0, 1001, 1.5, '1', null]) {
      expect(refusedAt({ tenant_weights: { a: 1, b: odd, c: odd } })).toEqual(['tenant_weights']);
    }
  });

  it('name tenants that a task could have, and no issue shows one', () => {
    for (const tenant of ['x'.repeat(129), '\u20ac'.repeat(43), 'a\0', '\ud800']) {
      const issues = issuesOf({ tenant_weights: { [tenant]: 1 } });
      expect(issues).toMatchObject([{ path: 'tenant_weights', rule: 'tenant names of at most 128 bytes' }]);
      expect(JSON.stringify(issues)).not.toContain(tenant);
    }
  });
});

describe('any patch', () => {
  it('is answered, never thrown at, and passes only what can be shown again', () => {
    const anyName = fc.constantFrom(...Object.keys(SETTINGS));
    const anyValue = fc.oneof(fc.jsonValue(), fc.nat(2000), fc.constant({ limit: 1, per_ms: 5 }));
    holds(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(anyName, anyValue)), (raw) => {
        const result = parseSettingsPatch(raw);
        if (!result.ok) return;
        const set = Object.entries(result.patch).filter(([, value]) => value !== null);
        const again = settingsToWire(Object.fromEntries(set));
        expect(patchOf(again)).toEqual(Object.fromEntries(set));
      }),
      1000,
    );
  });
});
