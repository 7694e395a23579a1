import { describe, expect, it } from 'vitest';
import { paceVerdict } from './pace.ts';

const free = { maxRunning: null, rate: null };
const idle = { paused: false, running: 0, tat: null };

describe('paceVerdict', () => {
  it('lets a queue without bounds start', () => {
    expect(paceVerdict({ ...idle, running: 1_000 }, free, 0).open).toBe(true);
  });

  it('stops at a pause, and at the ceiling over all workers', () => {
    expect(paceVerdict({ ...idle, paused: true }, free, 0).open).toBe(false);
    expect(paceVerdict({ ...idle, running: 1 }, { ...free, maxRunning: 2 }, 0).open).toBe(true);
    expect(paceVerdict({ ...idle, running: 2 }, { ...free, maxRunning: 2 }, 0).open).toBe(false);
    expect(paceVerdict(idle, { ...free, maxRunning: 0 }, 0).open).toBe(false);
  });

  it('takes no place in the rate by asking', () => {
    const rate = { limit: 1, perMs: 1_000, burst: 1 };
    expect(paceVerdict(idle, { ...free, rate }, 5_000)).toEqual({ open: true, tat: null });
    expect(paceVerdict({ ...idle, tat: 6_000 }, { ...free, rate }, 5_999)).toEqual({
      open: false,
      tat: 6_000,
    });
    expect(paceVerdict({ ...idle, tat: 6_000 }, { ...free, rate }, 6_000)).toEqual({
      open: true,
      tat: 6_000,
    });
  });

  it('cuts an old debt down where the clock went back', () => {
    const rate = { limit: 1, perMs: 1_000, burst: 1 };
    expect(paceVerdict({ ...idle, tat: 1_000_000 }, { ...free, rate }, 0)).toEqual({
      open: false,
      tat: 1_000,
    });
  });
});
