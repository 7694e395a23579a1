// When the store cannot: full, locked by another program, or hit by a call that fails in the middle of a group.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { recount } from '../../src/engines/sqlite/recount.ts';
import { SqliteStore } from '../../src/engines/sqlite/sqlite-store.ts';
import { newTask } from '../support/new-task.ts';
import { folder, open, openHere, submit } from './house.ts';
import { AT, CALL, reserve, succeeded } from './work.ts';

const big = { payload: JSON.stringify('x'.repeat(2_000)) };

/** Breaks after it has written. */
class Breaking extends SqliteStore {
  override purge(queue: string, call: typeof CALL) {
    const done = super.purge(queue, call);
    if (queue === 'broken') throw new TypeError('planted');
    return done;
  }
}

describe('one call of a group fails', () => {
  it('alone: the others are done, in their order, and tell their events once', async () => {
    const { engine, db } = await openHere({ file: ':memory:' }, (...of) => new Breaking(...of));
    const events: string[] = [];
    await engine.subscribe((some) => {
      events.push(...some.map(({ type, queue }) => `${type} ${queue}`));
    });
    await submit(engine, { queue: 'broken' });
    const [first, broken, second] = await Promise.allSettled([
      engine.submit([newTask(AT, { queue: 'a' })], CALL),
      engine.purge('broken', CALL),
      engine.submit([newTask(AT, { queue: 'a' })], CALL),
    ]);
    expect(first).toMatchObject({ status: 'fulfilled', value: [{ outcome: 'created', position: 0 }] });
    expect(second).toMatchObject({ status: 'fulfilled', value: [{ outcome: 'created', position: 1 }] });
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_CALL', outcome: 'none' } });
    const loads = await engine.load(['a', 'broken'], CALL);
    expect(loads.map((load) => [load?.queued, load?.epoch])).toEqual([
      [2, 0],
      [1, 0],
    ]);
    expect(events).toEqual(['TASK_QUEUED broken', 'TASK_QUEUED a', 'TASK_QUEUED a']);
    expect(recount(db)).toEqual([]);
  });

  it('and a refused cursor does not even roll back', async () => {
    const { engine } = await openHere({ file: ':memory:' });
    const [done, refused] = await Promise.allSettled([
      engine.submit([newTask(AT)], CALL),
      engine.list({ limit: 1, cursor: 'nonsense' }, CALL),
    ]);
    expect(done.status).toBe('fulfilled');
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'INVALID_CURSOR' } });
  });
});

describe('a full store', () => {
  it('refuses submits before its cap, and still settles, purges and prunes', async () => {
    const maxBytes = 1_000_000;
    const { engine, db } = await openHere({ file: join(folder(), 'sluice.db'), maxBytes });
    let accepted = 0;
    const full = async () => {
      for (;;) {
        await engine.submit(
          Array.from({ length: 10 }, () => newTask(AT, big)),
          CALL,
        );
        accepted += 10;
      }
    };
    await expect(full()).rejects.toMatchObject({ code: 'STORE_FULL', outcome: 'none', retryable: true });
    expect(accepted).toBeGreaterThan(100);
    await expect(engine.probe(CALL)).rejects.toMatchObject({ code: 'STORE_FULL' });
    const leases = await reserve(engine, 50);
    const settled = await engine.settle(leases.map(succeeded), CALL);
    expect(settled.every(({ outcome }) => outcome === 'settled')).toBe(true);
    const [load] = await engine.load(['default'], CALL);
    expect(load).toMatchObject({ queued: accepted - 50, totals: { accepted, succeeded: 50 } });
    expect(recount(db)).toEqual([]);
    expect((await engine.purge('default', CALL)).purged).toBe(accepted - 50);
    const later = { ...CALL, at: AT + 30 * 86_400_000 };
    while ((await engine.load(['default'], later))[0] && (await engine.prune(1_000, later)).nextAt !== null);
    await submit(engine, big);
  });

  it('rolls a call back that fills it in the middle, whole', async () => {
    const { engine, db } = await openHere({ file: ':memory:', maxBytes: 1_000_000 });
    const huge = Array.from({ length: 900 }, () => newTask(AT, big));
    const [first, second] = await Promise.allSettled([
      engine.submit([newTask(AT)], CALL),
      engine.submit(huge, CALL),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FULL', outcome: 'none' } });
    const [load] = await engine.load(['default'], CALL);
    expect(load?.totals.accepted).toBe(1);
    expect(recount(db)).toEqual([]);
    await submit(engine);
  });
});

describe('a lock that another program holds', () => {
  it('is waited for, then says that nothing was done', async () => {
    const file = join(folder(), 'sluice.db');
    const engine = await open({ file, busyTimeoutMs: 50 });
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const calls = await Promise.allSettled([submit(engine), submit(engine), submit(engine)]);
    for (const call of calls) {
      expect(call).toMatchObject({ reason: { code: 'STORE_UNAVAILABLE', outcome: 'none', retryable: true } });
    }
    expect(await engine.load(['default'], CALL)).toEqual([null]);
    other.exec('COMMIT');
    other.close();
    await submit(engine);
  });

  it('that ends in time is not noticed', async () => {
    const file = join(folder(), 'sluice.db');
    const engine = await open({ file, busyTimeoutMs: 20_000 });
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const submitting = submit(engine);
    await new Promise((resolve) => setImmediate(resolve));
    other.exec('COMMIT');
    other.close();
    await submitting;
  });
});
