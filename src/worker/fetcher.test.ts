import { afterEach, describe, expect, it } from 'vitest';
import { FakeEnv } from '../../test/support/fake-env.ts';
import { EngineError } from '../engine/errors.ts';
import type { Lease, ReserveReply, ReserveRequest } from '../engine/messages.ts';
import { Fetcher } from './fetcher.ts';

const LEASE = {} as Lease;
let stop: () => Promise<void> = async () => undefined;

afterEach(() => stop());

function house(room: number) {
  const env = new FakeEnv();
  const calls: { want: ReserveRequest; answer: (reply: ReserveReply | Error) => Promise<void> }[] = [];
  const got: number[] = [];
  const state: { room: number; watched: boolean; wake: () => void } = { room, watched: false, wake() {} };
  const fetcher = new Fetcher({
    source: {
      reserve: (want) =>
        new Promise((resolve, reject) => {
          calls.push({
            want,
            async answer(reply) {
              if (reply instanceof Error) reject(reply);
              else resolve(reply);
              await env.settle();
            },
          });
        }),
      async watch(_, wake) {
        state.watched = true;
        state.wake = wake;
        return async () => {
          state.watched = false;
        };
      },
    },
    env,
    workerId: 'w1',
    queues: [{ name: 'default', weight: 1 }],
    leaseMs: null,
    call: () => ({ at: env.now(), principal: 'anonymous' }),
    room: () => state.room,
    onLeases: (leases) => {
      got.push(leases.length);
      state.room -= leases.length;
    },
  });
  stop = async () => {
    const stopped = fetcher.stop();
    for (const call of calls) await call.answer(empty());
    await stopped;
  };
  return { env, fetcher, calls, got, state };
}

const empty = (nextDueAt: number | null = null): ReserveReply => ({ leases: [], nextDueAt });
const leases = (count: number): ReserveReply => ({ leases: Array(count).fill(LEASE), nextDueAt: null });

describe('Fetcher', () => {
  it('asks for the room there is in one call, and for more of it in two of at most 32', async () => {
    const small = house(4);
    await small.fetcher.start();
    await small.env.settle();
    expect(small.calls.map((call) => call.want.max)).toEqual([4]);
    await stop();
    const wide = house(40);
    await wide.fetcher.start();
    await wide.env.settle();
    expect(wide.calls.map((call) => call.want.max)).toEqual([20, 20]);
    await stop();
    const huge = house(1000);
    await huge.fetcher.start();
    await huge.env.settle();
    expect(huge.calls.map((call) => call.want.max)).toEqual([32, 32]);
  });

  it('goes on while calls come back full, and asks again when a slot comes free', async () => {
    const { env, fetcher, calls, got, state } = house(2);
    await fetcher.start();
    await env.settle();
    await calls[0]?.answer(leases(2));
    expect(got).toEqual([2]);
    expect(calls).toHaveLength(1);
    state.room = 1;
    fetcher.kick();
    fetcher.kick();
    await env.settle();
    expect(calls.map((call) => call.want.max)).toEqual([2, 1]);
  });

  it('polls a dry queue ever more seldom, at most once a second', async () => {
    const { env, fetcher, calls } = house(4);
    await fetcher.start();
    await env.settle();
    const gaps: number[] = [];
    for (let i = 0; i < 12; i += 1) {
      const before = env.elapsed();
      await calls.at(-1)?.answer(empty());
      const count = calls.length;
      while (calls.length === count) await env.advance(1);
      gaps.push(env.elapsed() - before);
    }
    expect(gaps).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 1000, 1000]);
  });

  it('wakes when the store says so, also while a call that saw nothing is on its way back', async () => {
    const { env, fetcher, calls, state } = house(4);
    await fetcher.start();
    await env.settle();
    await calls[0]?.answer(empty());
    state.wake();
    await env.settle();
    expect(calls).toHaveLength(2);
    state.room = 0;
    state.wake();
    state.room = 4;
    await calls[1]?.answer(empty());
    expect(calls).toHaveLength(3);
  });

  it('sleeps until something comes due, and polls when what is due needs somebody else', async () => {
    const { env, fetcher, calls } = house(4);
    await fetcher.start();
    await env.settle();
    for (let i = 0; i < 12; i += 1) {
      await calls.at(-1)?.answer(empty());
      await env.advance(1_000);
    }
    const count = calls.length;
    await calls.at(-1)?.answer(empty(env.now() + 300));
    await env.advance(299);
    expect(calls).toHaveLength(count);
    await env.advance(1);
    expect(calls).toHaveLength(count + 1);
    await calls.at(-1)?.answer(empty(env.now() - 5));
    await env.advance(999);
    expect(calls).toHaveLength(count + 1);
  });

  it('repeats the same request until it is answered', async () => {
    const { env, fetcher, calls, got } = house(4);
    await fetcher.start();
    await env.settle();
    await calls[0]?.answer(new EngineError('STORE_UNAVAILABLE', 'cut', { outcome: 'unknown' }));
    await env.advance(200);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.want).toEqual(calls[0]?.want);
    await calls[1]?.answer(leases(4));
    expect(got).toEqual([4]);
  });

  it('stops: asks nothing more, unwatches, waits for the call in flight, cuts a pause', async () => {
    const { env, fetcher, calls, got, state } = house(4);
    await fetcher.start();
    await env.settle();
    let stopped = false;
    const done = fetcher.stop().then(() => {
      stopped = true;
    });
    await env.settle();
    expect(stopped).toBe(false);
    await calls[0]?.answer(leases(2));
    await done;
    expect(got).toEqual([2]);
    expect(state.watched).toBe(false);
    expect(calls).toHaveLength(1);
    expect(env.timerCount).toBe(0);
  });

  it('ends by itself when the store is closed', async () => {
    const { env, fetcher, calls } = house(4);
    await fetcher.start();
    await env.settle();
    await calls[0]?.answer(new EngineError('CLOSED', 'closed'));
    await env.advance(60_000);
    expect(calls).toHaveLength(1);
  });
});
