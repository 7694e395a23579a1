import { describe, expect, it } from 'vitest';
import { Batcher } from './batcher.ts';

/** A call that waits to be answered, and what came with it. */
function held() {
  const batches: number[][] = [];
  const answers: { done: (results: string[]) => void; failed: (error: unknown) => void }[] = [];
  const call = (items: readonly number[]) => {
    batches.push([...items]);
    return new Promise<readonly string[]>((done, failed) => answers.push({ done, failed }));
  };
  const answer = (index: number) => answers[index]?.done((batches[index] ?? []).map((item) => `r${item}`));
  const fail = (index: number, error: unknown) => answers[index]?.failed(error);
  return { batches, call, answer, fail };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('Batcher', () => {
  it('sends a lone item at once, and what comes meanwhile together', async () => {
    const { batches, call, answer } = held();
    const batcher = new Batcher(call, 10);
    const results = [1, 2, 3].map((item) => batcher.add(item));
    expect(batches).toEqual([[1]]);
    answer(0);
    await settle();
    expect(batches).toEqual([[1], [2, 3]]);
    answer(1);
    expect(await Promise.all(results)).toEqual(['r1', 'r2', 'r3']);
    const next = batcher.add(4);
    expect(batches).toEqual([[1], [2, 3], [4]]);
    answer(2);
    expect(await next).toBe('r4');
  });

  it('never sends more than the most, and keeps the order', async () => {
    const { batches, call, answer } = held();
    const batcher = new Batcher(call, 2);
    const results = [1, 2, 3, 4, 5, 6].map((item) => batcher.add(item));
    for (const index of [0, 1, 2, 3]) {
      answer(index);
      await settle();
    }
    expect(batches).toEqual([[1], [2, 3], [4, 5], [6]]);
    expect(await Promise.all(results)).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6']);
  });

  it('fails those of a failed call, and goes on with the next', async () => {
    const { call, answer, fail } = held();
    const batcher = new Batcher(call, 10);
    const results = [1, 2, 3].map((item) => batcher.add(item));
    answer(0);
    await settle();
    const late = batcher.add(4);
    fail(1, new Error('store'));
    const ended = await Promise.allSettled(results);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    answer(2);
    expect(await late).toBe('r4');
  });

  it('a call that throws instead of rejecting fails its items only', async () => {
    let broken = true;
    const batcher = new Batcher<number, number>((items) => {
      if (broken) throw new Error('defect');
      return Promise.resolve(items);
    }, 10);
    await expect(batcher.add(1)).rejects.toThrow('defect');
    broken = false;
    expect(await batcher.add(2)).toBe(2);
  });
});
