import { describe, expect, it } from 'vitest';
import { gate, house } from '../../test/support/worker-house.ts';
import { EngineError } from '../engine/errors.ts';

describe('a store that fails', () => {
  it('is asked again for an extension well before the lease ends, with one warning', async () => {
    const work = gate();
    const asked: number[] = [];
    const { env, worker, submit, task } = await house({ work: work.handler }, {}, (engine, { elapsed }) => ({
      async extend(batch, call) {
        asked.push(elapsed());
        if (asked.length < 4) throw new EngineError('STORE_UNAVAILABLE', 'away');
        return await engine.extend(batch, call);
      },
    }));
    const id = await submit({ timeoutMs: 600_000 });
    await worker.start();
    await env.settle();
    work.seen[0]?.progress(40);
    await env.advance(30_000);
    expect(asked).toEqual([10_000, 13_000, 16_000, 19_000, 29_000]);
    expect((await task(id)).progress?.percent).toBe(40);
    expect(env.lines.filter((line) => line.level === 'warn')).toHaveLength(1);
    work.open();
    const drained = worker.drain(0);
    await env.settle();
    await drained;
  });

  it('that brings leases after the drain began gets them back', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { env, worker, submit, task } = await house({ work: () => 1 }, {}, (engine) => ({
      async reserve(want, call) {
        const reply = await engine.reserve(want, call);
        await held;
        return reply;
      },
    }));
    const id = await submit();
    await worker.start();
    await env.settle();
    const drained = worker.drain(30_000);
    await env.settle();
    release();
    await env.settle();
    expect(await drained).toEqual({ released: 1, unanswered: 0 });
    expect(await task(id)).toMatchObject({ status: 'queued', attempt: 0, deliveries: 1 });
  });
});

describe('drain', () => {
  it('stops fetching, lets handlers finish, gives back what has not started', async () => {
    const work = gate();
    const { env, worker, submit, task } = await house(
      { work: work.handler },
      { concurrency: 1, prefetch: 1 },
    );
    const [running, buffered] = [await submit(), await submit()];
    await worker.start();
    await env.settle();
    const drained = worker.drain(30_000);
    await env.advance(20_000);
    expect(worker.status).toBe('draining');
    expect(await task(buffered)).toMatchObject({ status: 'queued', attempt: 0 });
    work.open('made it');
    await env.settle();
    expect(await drained).toEqual({ released: 1, unanswered: 0 });
    expect((await task(running)).result).toBe('"made it"');
    expect(worker.status).toBe('stopped');
  });

  it('keeps leases alive while it waits', async () => {
    const work = gate();
    const { env, engine, worker, submit, task, call } = await house({ work: work.handler });
    const id = await submit({ timeoutMs: 600_000 });
    await worker.start();
    await env.settle();
    const drained = worker.drain(300_000);
    await env.advance(100_000);
    expect((await engine.reap({ reaperId: 'r', max: 9, leaseMs: 1_000, nonce: 'n' }, call())).leases).toEqual(
      [],
    );
    work.open();
    await env.settle();
    await drained;
    expect((await task(id)).status).toBe('succeeded');
  });

  it('releases what is over its time without spending an attempt; a second call with 0 stops now', async () => {
    for (const impatient of [false, true]) {
      const work = gate();
      const { env, worker, submit, task } = await house({ work: work.handler });
      const id = await submit();
      await worker.start();
      await env.settle();
      const drained = worker.drain(20_000);
      if (impatient) void worker.drain(0);
      else await env.advance(20_000);
      await env.settle();
      expect(await drained).toEqual({ released: 1, unanswered: 0 });
      expect(work.seen[0]?.signal.aborted).toBe(true);
      expect(await task(id)).toMatchObject({ status: 'queued', attempt: 0, deliveries: 1 });
    }
  });

  it('says how it lives: ready, busy, draining, stopped', async () => {
    const work = gate();
    const { env, engine, worker, submit, call } = await house({ work: work.handler }, { concurrency: 1 });
    const status = async () => (await engine.workers.list(call()))[0]?.status;
    await worker.start();
    await env.settle();
    expect(await status()).toBe('ready');
    await submit();
    await env.advance(10_000);
    expect(await status()).toBe('busy');
    const drained = worker.drain(60_000);
    await env.settle();
    expect(await status()).toBe('draining');
    work.open();
    await env.settle();
    await drained;
    expect(await status()).toBe('stopped');
    await expect(worker.start()).rejects.toThrow('stopped');
  });
});
