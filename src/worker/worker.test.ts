import { describe, expect, it } from 'vitest';
import { gate, house } from '../../test/support/worker-house.ts';
import { defer, type HandlerContext } from './handler.ts';

describe('running tasks', () => {
  it('runs what is queued, and what comes later', async () => {
    const { env, worker, submit, task } = await house({ work: (payload) => ({ got: payload }) });
    const early = await submit({ payload: '{"n":1}' });
    await worker.start();
    await env.settle();
    expect(await task(early)).toMatchObject({ status: 'succeeded', result: '{"got":{"n":1}}', attempt: 1 });
    const late = await submit();
    await env.settle();
    expect((await task(late)).status).toBe('succeeded');
  });

  it('retries what throws, and dead-letters it when its attempts are spent', async () => {
    const { env, engine, worker, submit, task, call } = await house({
      work: () => {
        throw new Error('broken');
      },
    });
    const id = await submit({ maxAttempts: 2 });
    await worker.start();
    await env.settle();
    expect(await task(id)).toMatchObject({ status: 'retrying', lastError: { message: 'broken' } });
    await env.advance(1_500);
    await engine.promote(10, call());
    await env.settle();
    expect(await task(id)).toMatchObject({
      status: 'dead_lettered',
      deadLetter: { reason: 'attempts_exhausted' },
      attempt: 2,
    });
  });

  it('takes promises, rejections, deferrals and thenables', async () => {
    const { env, worker, submit, task } = await house({
      resolves: async () => 1,
      rejects: async () => {
        throw new Error('later');
      },
      defers: async () => defer(1_000),
      thenable: () => Object.fromEntries([['then', (resolve: (value: number) => void) => resolve(3)]]),
    });
    const [a, b, c, d] = [
      await submit({ type: 'resolves' }),
      await submit({ type: 'rejects' }),
      await submit({ type: 'defers' }),
      await submit({ type: 'thenable' }),
    ];
    await worker.start();
    await env.settle();
    expect((await task(a)).result).toBe('1');
    expect((await task(b)).status).toBe('retrying');
    expect(await task(c)).toMatchObject({ status: 'scheduled', attempt: 0 });
    expect((await task(d)).result).toBe('3');
  });

  it('defers a type that it does not know, without spending an attempt', async () => {
    const { env, worker, submit, task } = await house({ work: () => 1 });
    const id = await submit({ type: 'constructor' });
    await worker.start();
    await env.settle();
    const { status, attempt, unknownSince } = await task(id);
    expect({ status, attempt, unknownSince }).toEqual({
      status: 'scheduled',
      attempt: 0,
      unknownSince: env.now(),
    });
  });

  it('never runs more handlers than slots, and holds no more than slots and prefetch', async () => {
    const { handler, seen } = gate();
    const { env, engine, worker, submit, call } = await house(
      { work: handler },
      { concurrency: 2, prefetch: 3 },
    );
    for (let i = 0; i < 10; i += 1) await submit();
    await worker.start();
    await env.settle();
    expect(seen).toHaveLength(2);
    expect((await engine.load(['default'], call()))[0]?.running).toBe(5);
  });

  it('checks the time to live right before the handler', async () => {
    const first = gate();
    const { env, worker, submit, task } = await house(
      { slow: first.handler, work: () => 1 },
      { concurrency: 1, prefetch: 1 },
    );
    await submit({ type: 'slow', timeoutMs: 60_000 });
    const id = await submit({ ttlMs: 5_000 });
    await worker.start();
    await env.advance(6_000);
    expect((await task(id)).status).toBe('running');
    first.open();
    await env.settle();
    expect(await task(id)).toMatchObject({ status: 'dead_lettered', deadLetter: { reason: 'expired' } });
  });
});

describe('timeouts', () => {
  it('abort the signal, fail the attempt and free the slot of a handler that never returns', async () => {
    const hung = gate();
    const { env, worker, submit, task } = await house(
      { hang: hung.handler, work: () => 1 },
      { concurrency: 1 },
    );
    const id = await submit({ type: 'hang', timeoutMs: 2_000 });
    await worker.start();
    await env.advance(1_999);
    const { signal } = hung.seen[0] as HandlerContext;
    expect(signal.aborted).toBe(false);
    await env.advance(1);
    expect(signal.aborted).toBe(true);
    expect((signal.reason as Error).name).toBe('TimeoutError');
    expect(await task(id)).toMatchObject({ status: 'retrying', lastError: { name: 'TimeoutError' } });
    expect(worker.abandoned).toBe(1);
    const next = await submit();
    await env.settle();
    expect((await task(next)).status).toBe('succeeded');
    hung.open('too late');
    await env.settle();
    expect(worker.abandoned).toBe(0);
    expect((await task(id)).status).toBe('retrying');
  });

  it('do not feel a clock that is set', async () => {
    const work = gate();
    const { env, worker, submit, task } = await house({ work: work.handler });
    const id = await submit({ timeoutMs: 2_000 });
    await worker.start();
    await env.settle();
    env.offset += 3_600_000;
    await env.advance(1_000);
    work.open('fine');
    await env.settle();
    expect((await task(id)).result).toBe('"fine"');
  });

  it('leave no timer per task behind', async () => {
    const { env, worker, submit } = await house({ work: async () => 1 });
    await worker.start();
    await env.settle();
    const before = env.timerCount;
    for (let i = 0; i < 50; i += 1) await submit();
    await env.settle();
    expect(env.timerCount - before).toBeLessThanOrEqual(1);
  });
});

describe('leases', () => {
  it('are extended while the handler runs, and carry progress', async () => {
    const work = gate();
    const { env, engine, worker, submit, task, call } = await house({ work: work.handler });
    const id = await submit({ timeoutMs: 600_000 });
    await worker.start();
    await env.settle();
    work.seen[0]?.progress(250, 'half\0way');
    await env.advance(95_000);
    const { leases } = await engine.reap({ reaperId: 'r', max: 10, leaseMs: 1_000, nonce: 'n' }, call());
    expect(leases).toEqual([]);
    expect((await task(id)).progress).toEqual({ percent: 100, message: 'half\ufffdway' });
    work.open();
    await env.settle();
    expect((await task(id)).status).toBe('succeeded');
  });

  it('bring a cancel to the handler, and the task ends cancelled whatever it returns', async () => {
    const work = gate();
    const { env, engine, worker, submit, task, call } = await house({ work: work.handler });
    const id = await submit();
    await worker.start();
    await env.settle();
    const { signal } = work.seen[0] as HandlerContext;
    expect(await engine.cancel([id], call())).toEqual(['requested']);
    await env.advance(10_000);
    expect(signal.aborted).toBe(true);
    work.open('done all the same');
    await env.settle();
    expect(await task(id)).toMatchObject({ status: 'cancelled', cancelReason: 'requested', result: null });
  });

  it('that are lost stop the handler, free the slot and change nothing', async () => {
    const work = gate();
    const { env, engine, worker, submit, task, call } = await house(
      { work: work.handler },
      { concurrency: 1 },
    );
    const id = await submit();
    await worker.start();
    await env.settle();
    env.offset += 40_000;
    await engine.reap({ reaperId: 'r', max: 10, leaseMs: 60_000, nonce: 'n' }, call());
    await env.advance(10_000);
    expect(work.seen[0]?.signal.aborted).toBe(true);
    expect(worker.running).toBe(0);
    work.open('late');
    await env.settle();
    expect(await task(id)).toMatchObject({ status: 'running', result: null });
    expect(env.lines.some((line) => line.message.includes('lease was lost'))).toBe(true);
  });
});

it('refuses numbers out of range', async () => {
  await expect(house({}, { concurrency: 0 })).rejects.toThrow('concurrency must be an integer 1..1000');
  await expect(house({}, { prefetch: 33 })).rejects.toThrow('prefetch must be an integer 0..32');
});
