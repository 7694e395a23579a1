import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, effectiveSettings, patchOverrides, settlePolicy } from './settings.ts';

describe('queue settings', () => {
  it('have the defaults of the contract', () => {
    expect(DEFAULT_SETTINGS).toEqual({
      maxDepth: 10_000,
      maxBytes: null,
      maxScheduled: 100_000,
      reservedShare: null,
      tenantMaxDepth: null,
      tenantWeights: {},
      maxRunning: null,
      tenantMaxRunning: null,
      rate: null,
      priorityAgingMs: 60_000,
      deadLetter: true,
      deadLetterOnExpiry: true,
      dlqMax: 10_000,
      dlqOverflow: 'drop_oldest',
      dlqRetentionS: 1_209_600,
      leaseMs: 30_000,
      taskRetentionS: 604_800,
      resultRetentionS: 3_600,
      maxLeaseLosses: 3,
      unknownTypeMaxMs: 3_600_000,
    });
  });

  it('lay overrides over defaults', () => {
    expect(effectiveSettings(DEFAULT_SETTINGS, { maxDepth: 0 })).toEqual({
      ...DEFAULT_SETTINGS,
      maxDepth: 0,
    });
  });

  it('are patched by merge: absent stays, null goes back, nothing is changed in place', () => {
    const before = { maxDepth: 5, leaseMs: 1000 };
    expect(patchOverrides(before, { maxDepth: null, dlqMax: 3 })).toEqual({ leaseMs: 1000, dlqMax: 3 });
    expect(before).toEqual({ maxDepth: 5, leaseMs: 1000 });
  });

  it('send along with a lease what decides its end', () => {
    expect(settlePolicy(DEFAULT_SETTINGS)).toEqual({
      deadLetter: true,
      deadLetterOnExpiry: true,
      maxLeaseLosses: 3,
      unknownTypeMaxMs: 3_600_000,
    });
  });
});
