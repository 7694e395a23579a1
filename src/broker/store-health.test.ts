import { describe, expect, it } from 'vitest';
import { EngineError } from '../engine/errors.ts';
import { StoreHealth } from './store-health.ts';

function health() {
  const at = { now: 1_000 };
  const lines: { message: string; fields: Readonly<Record<string, unknown>> | undefined }[] = [];
  const watched = new StoreHealth({
    clock: { now: () => at.now, calibrate: async () => undefined },
    log: (_level, message, fields) => void lines.push({ message, fields }),
  });
  const fail = (error: unknown) => watched.watch(Promise.reject(error)).catch((thrown) => thrown);
  return { at, lines, watched, fail };
}

const full = new EngineError('STORE_FULL', 'no room', { cause: new Error('database or disk is full') });

describe('store health', () => {
  it("fails from the first failure until a submission passes, and tells the store's own words", async () => {
    const { watched, fail, lines } = health();
    expect(watched.failing).toBe(false);
    expect(await fail(full)).toBe(full);
    expect(watched.failing).toBe(true);
    expect(lines).toEqual([
      {
        message: 'the store takes no submissions',
        fields: {
          code: 'STORE_FULL',
          error: 'no room',
          cause: 'Error: database or disk is full',
          failures: 1,
        },
      },
    ]);
    expect(await watched.watch(Promise.resolve(7))).toBe(7);
    expect(watched.failing).toBe(false);
  });

  it('writes one line an interval, with how many failures it stands for', async () => {
    const { at, fail, lines } = health();
    for (let n = 0; n < 5; n += 1) await fail(full);
    at.now += 10_000;
    await fail(full);
    expect(lines.map(({ fields }) => fields?.failures)).toEqual([1, 5]);
  });

  it("forgets a failure that nothing has followed for 10 s, and defects are not the store's", async () => {
    const { at, watched, fail, lines } = health();
    await fail(full);
    at.now += 10_000;
    expect(watched.failing).toBe(false);
    await fail(new Error('a defect'));
    expect(watched.failing).toBe(false);
    expect(lines).toHaveLength(1);
  });
});
