import { describe, expect, it } from 'vitest';
import { FakeEnv } from '../../test/support/fake-env.ts';
import { type Pass, PassLoop } from './pass-loop.ts';

type Outcome = Awaited<ReturnType<Pass['run']>>;

const IDLE = 1_000;
const nothing: Outcome = { more: false, nextAt: null };

/** A loop whose passes do what the script says, then nothing; and when each of them ran. */
function loopOf(run: (turn: number) => Outcome | Promise<Outcome>) {
  const env = new FakeEnv();
  const began: number[] = [];
  const loop = new PassLoop(
    { ...env, clock: { now: env.now, calibrate: async () => undefined } },
    {
      name: 'sweep',
      idleMs: IDLE,
      run: async () => {
        began.push(env.elapsed());
        return await run(began.length);
      },
    },
  );
  return { env, loop, began };
}

/** A pass that ends when the test says so. */
function held() {
  const ends: ((outcome: Outcome) => void)[] = [];
  const run = () => new Promise<Outcome>((resolve) => ends.push(resolve));
  return { run, end: (outcome: Outcome = nothing) => ends.shift()?.(outcome) };
}

describe('PassLoop', () => {
  it('runs at once, then each time the idle time is over', async () => {
    const { env, loop, began } = loopOf(() => nothing);
    loop.start();
    await env.advance(2_500);
    expect(began).toEqual([0, 1_000, 2_000]);
  });

  it('goes on at once while there is more', async () => {
    const { env, loop, began } = loopOf((turn) => ({ more: turn < 4, nextAt: null }));
    loop.start();
    await env.advance(0);
    expect(began).toEqual([0, 0, 0, 0]);
    await env.advance(IDLE);
    expect(began).toHaveLength(5);
  });

  it('sleeps until the next thing is due, but not longer than the idle time', async () => {
    const { env, loop, began } = loopOf((turn) => ({
      more: false,
      nextAt: env.now() + (turn === 1 ? 300 : 5_000),
    }));
    loop.start();
    await env.advance(1_400);
    expect(began).toEqual([0, 300, 1_300]);
  });

  it('wakes for what comes due earlier, and not for what comes later', async () => {
    const { env, loop, began } = loopOf(() => nothing);
    loop.start();
    await env.advance(100);
    loop.due(env.now() + 5_000);
    loop.due(env.now() + 200);
    loop.due(env.now() + 400);
    await env.advance(899);
    expect(began).toEqual([0, 300]);
    await env.advance(301);
    expect(began).toEqual([0, 300, 1_300]);
  });

  it('wakes at once for what is overdue', async () => {
    const { env, loop, began } = loopOf(() => nothing);
    loop.start();
    await env.advance(100);
    loop.due(env.now() - 5_000);
    await env.advance(0);
    expect(began).toEqual([0, 100]);
  });

  it('what comes due while a pass runs wakes the loop in its time, whatever the pass saw', async () => {
    const { run, end } = held();
    const { env, loop, began } = loopOf(run);
    loop.start();
    await env.advance(0);
    loop.due(env.now() + 700);
    loop.due(env.now() + 250);
    end();
    await env.advance(249);
    expect(began).toEqual([0]);
    await env.advance(1);
    expect(began).toEqual([0, 250]);
    loop.due(env.now());
    end();
    await env.advance(0);
    expect(began).toEqual([0, 250, 250]);
  });

  it('comes back later and later while passes fail, says so, and forgets it after one that works', async () => {
    const { env, loop, began } = loopOf((turn) => {
      if (turn <= 10) throw new Error('store');
      return { more: false, nextAt: env.now() + 500 };
    });
    loop.start();
    await env.advance(250 + 500 + 1_000 + 2_000 + 4_000 + 8_000 + 16_000 + 30_000 * 3);
    // Midway of the spread of +-20 %.
    expect(began).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 31_750, 61_750, 91_750, 121_750]);
    expect(env.lines).toHaveLength(10);
    expect(env.lines[0]).toMatchObject({ level: 'warn', fields: { pass: 'sweep', error: 'Error: store' } });
    await env.advance(500);
    expect(began).toHaveLength(12);
  });

  it('ends with the pass under way, and starts no other', async () => {
    const { run, end } = held();
    const { env, loop, began } = loopOf(run);
    loop.start();
    await env.advance(0);
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    await env.settle();
    expect(stopped).toBe(false);
    end({ more: true, nextAt: null });
    await stop;
    loop.due(env.now());
    await env.advance(10_000);
    expect(began).toEqual([0]);
    expect(env.timerCount).toBe(0);
  });

  it('can be stopped before it started', async () => {
    const { env, loop, began } = loopOf(() => nothing);
    loop.start();
    await loop.stop();
    await env.advance(5_000);
    expect(began).toEqual([]);
  });
});
