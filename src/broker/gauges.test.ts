import { describe, expect, it } from 'vitest';
import { brokerHouse } from '../../test/support/broker-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import { stampHome } from '../core/id.ts';
import type { SettleResult } from '../engine/messages.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import { withFaults } from '../engine/wrap-faults.ts';
import { Gauges } from './gauges.ts';

const ID = '01a22f9e-a841-7000-b462-98aa6f000000';
const done: SettleResult = { outcome: 'settled', status: 'succeeded' };

/** `count` tasks of the queue number, all settled so. */
function settled(gauges: Gauges, count: number, { number = 0, result = done } = {}): void {
  const id = stampHome(ID, { queueNumber: number, shard: 0 });
  gauges.settled(Array(count).fill({ id }), Array(count).fill(result));
}

/** Gauges over a store that counts its calls and fails while told to. */
async function watched() {
  const store = { calls: [] as string[], down: false };
  const house = await brokerHouse({
    wrap: (engine) =>
      withFaults(engine, {
        before: (operation) => {
          store.calls.push(operation);
          if (store.down) throw new Error('down');
        },
      }),
  });
  store.calls.length = 0;
  const submit = (queue: string, count: number) => {
    const at = house.clock.now();
    const tasks = Array.from({ length: count }, () => newTask(at, { queue }));
    return house.engine.submit(tasks, { at, principal: ANONYMOUS });
  };
  return { house, store, submit, gauges: new Gauges(house) };
}

describe('completions per second', () => {
  it('are nothing before the first', async () => {
    const { gauges } = await watched();
    expect(gauges.completionPerS()).toBe(0);
    expect(gauges.completionPerS(3)).toBe(0);
  });

  it('go over the time since the start, and over ten seconds later on', async () => {
    const { house, gauges } = await watched();
    settled(gauges, 6);
    expect(gauges.completionPerS()).toBe(6);
    await house.time.advance(4_000);
    expect(gauges.completionPerS()).toBe(1.5);
    settled(gauges, 4);
    await house.time.advance(5_000);
    expect(gauges.completionPerS()).toBeCloseTo(10 / 9);
    await house.time.advance(1_000);
    expect(gauges.completionPerS()).toBe(0.4);
    await house.time.advance(4_000);
    expect(gauges.completionPerS()).toBe(0);
  });

  it('forget everything after a long silence, and count anew', async () => {
    const { house, gauges } = await watched();
    for (let second = 0; second < 15; second += 1) {
      settled(gauges, 2);
      await house.time.advance(1_000);
    }
    await house.time.advance(3_600_000);
    expect(gauges.completionPerS()).toBe(0);
    settled(gauges, 5);
    expect(gauges.completionPerS()).toBe(0.5);
  });

  it('are told by queue, and of all', async () => {
    const { gauges } = await watched();
    settled(gauges, 2, { number: 7 });
    settled(gauges, 1, { number: 65_535 });
    expect([7, 65_535, 8].map((number) => gauges.completionPerS(number))).toEqual([2, 1, 0]);
    expect(gauges.completionPerS()).toBe(3);
  });

  it.each<SettleResult>([
    { outcome: 'settled', status: 'retrying' },
    { outcome: 'settled', status: 'queued' },
    { outcome: 'settled', status: 'scheduled' },
    { outcome: 'already_settled', status: 'succeeded' },
    { outcome: 'lease_lost', status: 'cancelled' },
    { outcome: 'lease_lost', status: null },
  ])('leave out %j', async (result) => {
    const { gauges } = await watched();
    settled(gauges, 3, { result });
    expect(gauges.completionPerS()).toBe(0);
  });

  it.each(['failed', 'dead_lettered', 'cancelled', 'expired'] as const)('count %s too', async (status) => {
    const { gauges } = await watched();
    settled(gauges, 3, { result: { outcome: 'settled', status } });
    expect(gauges.completionPerS()).toBe(3);
  });

  it('survive a clock that goes back', async () => {
    const { house, gauges } = await watched();
    await house.time.advance(20_000);
    settled(gauges, 3);
    house.time.offset -= 5_000;
    settled(gauges, 1);
    expect(gauges.completionPerS()).toBeCloseTo(0.4);
  });
});

describe('loads', () => {
  it('are asked for once in 250 ms, by however many', async () => {
    const { house, store, submit, gauges } = await watched();
    await submit('a', 3);
    store.calls.length = 0;
    const loads = await Promise.all(Array.from({ length: 50 }, () => gauges.load('a')));
    expect(loads.map((load) => load?.queued)).toEqual(Array(50).fill(3));
    await submit('a', 1);
    await house.time.advance(249);
    expect((await gauges.load('a'))?.queued).toBe(3);
    expect(store.calls.filter((name) => name === 'load')).toHaveLength(1);
    await house.time.advance(1);
    expect((await gauges.load('a'))?.queued).toBe(4);
  });

  it('of a queue that does not exist are null', async () => {
    const { gauges } = await watched();
    expect(await gauges.load('none')).toBeNull();
  });

  it('are asked for again after a failure', async () => {
    const { store, submit, gauges } = await watched();
    await submit('a', 1);
    store.down = true;
    await expect(gauges.load('a')).rejects.toThrow('down');
    await expect(gauges.pending()).rejects.toThrow('down');
    store.down = false;
    expect((await gauges.load('a'))?.queued).toBe(1);
    expect(await gauges.pending()).toBe(1);
  });

  it('are asked for again when the clock goes back', async () => {
    const { house, submit, gauges } = await watched();
    await submit('a', 1);
    expect(await gauges.pending()).toBe(1);
    expect((await gauges.load('a'))?.queued).toBe(1);
    house.time.offset -= 60_000;
    await submit('a', 1);
    expect(await gauges.pending()).toBe(2);
    expect((await gauges.load('a'))?.queued).toBe(2);
  });
});

describe('what is pending', () => {
  it('is the sum over all queues, also over more than a page of them', async () => {
    const { house, submit, gauges } = await watched();
    for (let index = 0; index < 450; index += 1) await submit(`q${index}`, 1);
    await submit('q7', 4);
    const at = house.clock.now();
    await house.engine.submit([newTask(at, { queue: 'q8', runAt: at + 5_000 })], {
      at,
      principal: ANONYMOUS,
    });
    expect(await gauges.pending()).toBe(454);
  });

  it('is counted once in 250 ms, by however many', async () => {
    const { house, store, submit, gauges } = await watched();
    await submit('a', 2);
    store.calls.length = 0;
    const counts = await Promise.all(Array.from({ length: 50 }, () => gauges.pending()));
    expect(new Set(counts)).toEqual(new Set([2]));
    expect(store.calls).toEqual(['queues', 'load']);
    await submit('b', 1);
    await house.time.advance(250);
    expect(await gauges.pending()).toBe(3);
  });
});
