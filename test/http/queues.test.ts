// Queues over HTTP: counts, settings under an ETag, pause, resume and purge.
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../src/engine/principal.ts';
import { STORES, testServer } from '../support/http-server.ts';

const AT = 1_700_000_000_000;

describe.each(STORES)('over %s', (store) => {
  it('counts exactly, with the workers that serve the queue', async () => {
    const server = await testServer({ store, frozenAt: AT });
    await server.submitted({ priority: 9 });
    await server.submitted({ payload: { n: 1 } });
    await server.submitted({ delay_ms: 1_000 });
    const beat = { slots: 3, running: 0, cpu: null, loopDelayMs: null, version: '1', types: [] };
    const call = { at: AT, principal: ANONYMOUS };
    for (const [workerId, status, queues] of [
      ['a', 'ready', ['default']],
      ['b', 'stopped', ['default']],
      ['c', 'busy', ['default', 'other']],
      ['d', 'ready', ['other']],
    ] as const) {
      await server.engine.workers.beat({ workerId, status, queues, ...beat }, call);
    }
    server.advance(500);
    const view = {
      queue: 'default',
      totals: {
        accepted: 3,
        succeeded: 0,
        failed: 0,
        dead_lettered: 0,
        cancelled: 0,
        expired: 0,
        redriven: 0,
      },
      depth: 2,
      queued: 2,
      running: 0,
      scheduled: 1,
      retrying: 0,
      dead_lettered: 0,
      bytes: 17,
      limit: 10_000,
      paused: false,
      saturated: false,
      oldest_age_ms: 500,
    };
    expect((await server.get('/queue/default')).body).toEqual({
      ...view,
      by_priority: [0, 0, 0, 0, 0, 1, 0, 0, 0, 1],
      workers: 2,
      slots: 6,
      completion_per_s: { '10s': 0 },
    });
    expect((await server.get('/queue')).body).toEqual({
      pending: 2,
      max_pending: 100_000,
      saturated: false,
      retry_after_s: null,
      queues: [view],
      next_cursor: null,
    });
    server.advance(30_000);
    expect((await server.get('/queue/default')).body).toMatchObject({ workers: 0, slots: 0 });
    const { body } = await server.get('/workers');
    expect((body.items as { status: string }[]).map(({ status }) => status)).toEqual([
      'stale',
      'stopped',
      'stale',
      'stale',
    ]);
    expect((await server.get('/workers/c')).body).toMatchObject({
      worker_id: 'c',
      queues: ['default', 'other'],
      last_beat_at: new Date(AT).toISOString(),
    });
    expect((await server.get('/workers/nobody')).status).toBe(404);
  });

  it('lists queues in pages', async () => {
    const server = await testServer({ store });
    for (const queue of ['b', 'c', 'a']) await server.submitted({ queue });
    const { body } = await server.get('/queue?limit=2');
    expect((body.queues as { queue: string }[]).map(({ queue }) => queue)).toEqual(['a', 'b']);
    const { body: rest } = await server.get(
      `/queue?limit=2&cursor=${encodeURIComponent(String(body.next_cursor))}`,
    );
    expect((rest.queues as { queue: string }[]).map(({ queue }) => queue)).toEqual(['c']);
    expect(rest.next_cursor).toBeNull();
  });

  it('settings change only for whoever has seen the last of them', async () => {
    const server = await testServer({ store });
    expect((await server.get('/queue/q/settings')).status).toBe(404);
    const path = '/queue/q/settings';
    const first = await server.patch(path, { max_depth: 7, rate: { limit: 5, per_ms: 1_000 } });
    expect(first.status).toBe(200);
    expect(first.headers.get('etag')).toBe('"1"');
    expect(first.body).toMatchObject({
      max_depth: 7,
      rate: { limit: 5, per_ms: 1_000, burst: 1 },
      dlq_max: 10_000,
    });
    const read = await server.get(path);
    expect([read.headers.get('etag'), read.body]).toEqual(['"1"', first.body]);

    const second = await server.patch(path, { max_depth: null }, { 'if-match': '"9", "1"' });
    expect([second.status, second.headers.get('etag'), second.body.max_depth]).toEqual([200, '"2"', 10_000]);
    for (const tag of ['"1"', 'W/"2"', '"x"']) {
      const late = await server.patch(path, { max_depth: 1 }, { 'if-match': tag });
      expect(late.status).toBe(412);
      expect(late.body).toMatchObject({ code: 'SETTINGS_CHANGED', details: { version: 2 } });
    }
    expect((await server.patch(path, { max_depth: 8 }, { 'if-match': '*' })).status).toBe(200);
    expect((await server.patch('/queue/new/settings', {}, { 'if-match': '*' })).status).toBe(412);
    expect((await server.get('/queue/new')).status).toBe(404);

    const { body } = await server.get('/audit');
    expect(body.items).toHaveLength(3);
    expect((body.items as object[])[2]).toMatchObject({
      action: 'queue.settings',
      queue: 'q',
      details: { version: 1, patch: { max_depth: 7, rate: { limit: 5, per_ms: 1_000 } } },
    });
  });

  it('refuses settings that are unknown, out of bounds, or of a name that no queue can have', async () => {
    const server = await testServer({ store });
    const unknown = await server.patch('/queue/q/settings', { max_dept: 1 });
    expect(unknown.body).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { issues: [{ path: 'max_dept', did_you_mean: 'max_depth' }] },
    });
    expect((await server.patch('/queue/q/settings', { max_depth: -1 })).status).toBe(400);
    expect((await server.patch('/queue/Q/settings', { max_depth: 1 })).status).toBe(400);
    expect((await server.post('/queue/Q/pause')).status).toBe(400);
    expect((await server.get('/queue/Q')).status).toBe(404);
    expect((await server.get('/queue')).body.queues).toEqual([]);
  });

  it('pauses once, with who and why, and resumes', async () => {
    const server = await testServer({ store, frozenAt: AT });
    const paused = await server.post('/queue/q/pause', { reason: 'deploy' });
    const state = {
      queue: 'q',
      paused: true,
      since: new Date(AT).toISOString(),
      by: 'anonymous',
      reason: 'deploy',
    };
    expect([paused.status, paused.body]).toEqual([200, state]);
    server.advance(1_000);
    expect((await server.post('/queue/q/pause')).body).toEqual(state);
    await server.submitted({ queue: 'q' });
    expect((await server.get('/queue/q')).body.paused).toBe(true);
    // A paused queue does not drain, so the hint is the long one.
    await server.patch('/queue/q/settings', { max_depth: 1 });
    server.advance(250);
    const full = await server.post('/tasks', { queue: 'q', type: 't' });
    expect(full.headers.get('retry-after')).toBe('30');
    const resumed = { queue: 'q', paused: false, since: null, by: null, reason: null };
    expect((await server.post('/queue/q/resume')).body).toEqual(resumed);
    expect((await server.post('/queue/q/resume', {})).body).toEqual(resumed);
    expect((await server.post('/queue/unknown/resume')).status).toBe(404);
    const { body } = await server.get('/audit');
    expect((body.items as { action: string }[]).map(({ action }) => action)).toEqual([
      'queue.resume',
      'queue.resume',
      'queue.settings',
      'queue.pause',
      'queue.pause',
    ]);
  });

  it('purges what waits, and says how much that was', async () => {
    const server = await testServer({ store });
    const ids = [await server.submitted({}), await server.submitted({ delay_ms: 60_000 })];
    expect((await server.post('/queue/default/purge')).body).toEqual({ purged: 2, epoch: 1 });
    for (const id of ids) {
      expect((await server.get(`/tasks/${id}`)).body).toMatchObject({
        status: 'cancelled',
        cancel_reason: 'purged',
      });
    }
    expect((await server.get('/queue/default')).body).toMatchObject({
      depth: 0,
      scheduled: 0,
      totals: { accepted: 2, cancelled: 2 },
    });
    expect((await server.post('/queue/unknown/purge')).status).toBe(404);
    expect((await server.get('/audit')).body.items).toMatchObject([
      { action: 'queue.purge', queue: 'default', details: { purged: 2, epoch: 1 } },
    ]);
  });
});
