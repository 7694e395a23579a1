// Tasks over HTTP: what is answered to a submission, and what can be seen and done afterwards.
import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../src/engine/principal.ts';
import { STORES, type TestServer, testServer } from '../support/http-server.ts';

const AT = 1_700_000_000_000;
const iso = (at: number) => new Date(at).toISOString();

/** Takes the next task and ends it. */
async function run(server: TestServer, at: number, outcome: 'succeeded' | 'dead_lettered'): Promise<string> {
  const call = { at, principal: ANONYMOUS };
  const { leases } = await server.engine.reserve(
    {
      workerId: 'w1',
      requestId: `r-${at}-${outcome}`,
      nonce: 'n',
      queues: [{ name: 'default', weight: 1 }],
      max: 1,
      leaseMs: null,
    },
    call,
  );
  const [lease] = leases;
  if (lease === undefined) throw new Error('nothing to run');
  const error = { name: 'Error', message: 'no', retryable: false };
  const decision =
    outcome === 'succeeded'
      ? { to: outcome, result: '{"n":1}' }
      : { to: outcome, reason: 'permanent_failure' as const, error };
  const settled = { decision, outcome, retryDelayMs: null };
  await server.broker.workSource.settle(
    [{ id: lease.task.id, token: lease.token, workerId: 'w1', startedAt: at, settled }],
    { at: at + 7, principal: ANONYMOUS },
  );
  return lease.task.id;
}

describe.each(STORES)('over %s', (store) => {
  it('answers 202 with the place of the task, and shows it whole', async () => {
    const server = await testServer({ store, frozenAt: AT });
    await server.submitted({});
    const { status, headers, body } = await server.post('/tasks', {
      type: 'work.hard',
      payload: { b: 1, a: ['ü', null] },
      metadata: { k: 'v' },
      tenant: 'acme',
      ttl_ms: 60_000,
      idempotency_key: 'body-key',
      retry: { base_ms: 10 },
    });
    expect(status).toBe(202);
    const id = String(body.task_id);
    const place = { queue: 'default', position: 1, predicted_wait_ms: null };
    expect(body).toEqual({ task_id: id, status: 'queued', ...place });
    expect(headers.get('location')).toBe(`/api/v1/tasks/${id}`);

    const shown = await server.get(`/tasks/${id}`);
    expect(shown.status).toBe(200);
    expect(shown.body).toEqual({
      id,
      queue: 'default',
      type: 'work.hard',
      status: 'queued',
      priority: 5,
      tenant: 'acme',
      idempotency_key: 'body-key',
      attempt: 0,
      max_attempts: 5,
      deliveries: 0,
      generation: 1,
      created_at: iso(AT),
      available_at: iso(AT),
      started_at: null,
      finished_at: null,
      expires_at: iso(AT + 60_000),
      ttl_ms: 60_000,
      timeout_ms: 30_000,
      retry: { base_ms: 10, multiplier: 2, max_ms: 60_000, jitter: 0.2 },
      progress: null,
      last_error: null,
      attempts: [],
      cancel_reason: null,
      dead_letter: null,
      input: null,
      traceparent: null,
      tracestate: null,
      payload: { b: 1, a: ['ü', null] },
      metadata: { k: 'v' },
      result: null,
    });
    expect(shown.text).toContain('"payload":{"b":1,"a":["ü",null]}');
  });

  it('a delayed task is scheduled, has no position, and its time is what was asked', async () => {
    const server = await testServer({ store, frozenAt: AT });
    const { status, body } = await server.post('/tasks', { type: 'later', delay_ms: 5_000 });
    expect(status).toBe(202);
    expect(body).toMatchObject({ status: 'scheduled', position: null });
    expect((await server.get(`/tasks/${body.task_id}`)).body.available_at).toBe(iso(AT + 5_000));
  });

  it('the header of a key wins over the body, quoted or bare', async () => {
    const server = await testServer({ store });
    const first = await server.post(
      '/tasks',
      { type: 't', idempotency_key: 'b' },
      { 'idempotency-key': '"h"' },
    );
    const again = await server.post('/tasks', { type: 't' }, { 'idempotency-key': 'h' });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({
      task_id: first.body.task_id,
      status: 'queued',
      queue: 'default',
      position: null,
      predicted_wait_ms: null,
      duplicate: true,
    });
    const bad = await server.post('/tasks', { type: 't' }, { 'idempotency-key': 'k'.repeat(256) });
    expect(bad.body).toMatchObject({
      code: 'INVALID_REQUEST',
      details: { issues: [{ path: 'Idempotency-Key' }] },
    });
  });

  it('tells the pressure from four fifths of the limit on', async () => {
    const server = await testServer({ store, config: { maxQueueDepth: 5 } });
    const pressures: (string | null)[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { headers } = await server.post('/tasks', { type: 't' });
      pressures.push(headers.get('sluice-queue-pressure'));
    }
    expect(pressures).toEqual([null, null, null, '0.80', '1.00']);
  });

  it('lists newest first, filtered, page by page', async () => {
    const server = await testServer({ store });
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      ids.push(await server.submitted({ type: i % 2 === 0 ? 'even' : 'odd', tenant: i < 4 ? 'a' : '' }));
    }
    const seen: unknown[] = [];
    let query = '?limit=3';
    for (;;) {
      const { body } = await server.get(`/tasks${query}`);
      seen.push(...(body.items as { id: string }[]).map(({ id }) => id));
      if (body.next_cursor === null) break;
      query = `?limit=3&cursor=${encodeURIComponent(String(body.next_cursor))}`;
    }
    expect(seen).toEqual(ids.toReversed());
    const idsOf = async (filter: string) =>
      ((await server.get(`/tasks?${filter}`)).body.items as { id: string }[]).map(({ id }) =>
        ids.indexOf(id),
      );
    expect(await idsOf('type=even&tenant=a')).toEqual([2, 0]);
    expect(await idsOf('tenant=')).toEqual([6, 5, 4]);
    expect(await idsOf('status=succeeded')).toEqual([]);
    expect(await idsOf('queue=other')).toEqual([]);
  });

  it('a result is there when the task has ended, not before', async () => {
    const server = await testServer({ store, frozenAt: AT });
    const id = await server.submitted({});
    const early = await server.get(`/tasks/${id}/result`);
    expect(early.status).toBe(409);
    expect(early.body).toMatchObject({ code: 'TASK_NOT_FINISHED', details: { status: 'queued' } });
    expect(await run(server, AT, 'succeeded')).toBe(id);
    const result = await server.get(`/tasks/${id}/result`);
    expect(result.body).toEqual({ task_id: id, status: 'succeeded', result: { n: 1 } });
    expect((await server.get(`/tasks/${id}`)).body).toMatchObject({
      status: 'succeeded',
      result: { n: 1 },
      attempts: [{ attempt: 1, worker_id: 'w1', duration_ms: 7, outcome: 'succeeded', error: null }],
    });
  });

  it('cancels what waits, asks what runs, and tells what is over', async () => {
    const server = await testServer({ store, frozenAt: AT });
    const [running, waiting] = [await server.submitted({}), await server.submitted({})];
    const call = { at: AT, principal: ANONYMOUS };
    const queues = [{ name: 'default', weight: 1 }];
    await server.engine.reserve(
      { workerId: 'w', requestId: 'r', nonce: 'n', queues, max: 1, leaseMs: null },
      call,
    );
    const cancel = (id: string) => server.post(`/tasks/${id}/cancel`);
    const asked = await cancel(running);
    expect([asked.status, asked.body]).toEqual([
      202,
      { task_id: running, status: 'running', cancel_requested: true },
    ]);
    const done = await cancel(waiting);
    expect([done.status, done.body]).toEqual([200, { task_id: waiting, status: 'cancelled' }]);
    const late = await cancel(waiting);
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ code: 'TASK_FINISHED', details: { status: 'cancelled' } });
    for (const id of ['01a22f9e-a841-7000-b462-98aa6f000000', 'nonsense']) {
      expect((await cancel(id)).status).toBe(404);
      expect((await server.get(`/tasks/${id}`)).status).toBe(404);
      expect((await server.get(`/tasks/${id}/result`)).status).toBe(404);
    }
  });

  it('dead letters are listed, shown, redriven within the limit, let go, and all of it is audited', async () => {
    const server = await testServer({ store, frozenAt: AT });
    const [first, second] = [await server.submitted({}), await server.submitted({})];
    await run(server, AT, 'dead_lettered');
    await run(server, AT + 1, 'dead_lettered');
    const list = await server.get('/dlq?reason=permanent_failure&type=work&queue=default');
    expect((list.body.items as { id: string }[]).map(({ id }) => id)).toEqual([second, first]);
    expect((await server.get('/dlq?reason=expired')).body).toEqual({ items: [], next_cursor: null });
    expect((await server.get(`/dlq/${first}`)).body).toMatchObject({
      status: 'dead_lettered',
      dead_letter: { reason: 'permanent_failure', at: iso(AT + 7) },
      last_error: { name: 'Error', message: 'no', retryable: false },
    });

    await server.patch('/queue/default/settings', { max_depth: 0 });
    const full = await server.post(`/dlq/${first}/redrive`);
    expect(full.status).toBe(429);
    expect(full.body).toMatchObject({ code: 'QUEUE_FULL', details: { limit_name: 'max_depth', limit: 0 } });
    expect(full.headers.get('retry-after')).toBe('30');
    await server.patch('/queue/default/settings', { max_depth: null });
    const again = await server.post(`/dlq/${first}/redrive`);
    expect([again.status, again.body]).toEqual([200, { task_id: first, status: 'queued', generation: 2 }]);
    expect((await server.post(`/dlq/${first}/redrive`)).status).toBe(404);
    const gone = await server.post(`/dlq/${second}/discard`);
    expect(gone.body).toEqual({ task_id: second, status: 'dead_lettered', discarded: true });
    expect((await server.get(`/dlq/${second}`)).status).toBe(404);
    expect((await server.get(`/tasks/${second}`)).body.status).toBe('dead_lettered');

    const { body } = await server.get('/audit?limit=2');
    expect(body.items).toEqual([
      audit('dlq.discard', second, {}),
      audit('dlq.redrive', first, { generation: 2 }),
    ]);
    expect(body.next_cursor).not.toBeNull();
  });
});

function audit(action: string, target: string, details: object) {
  return { at: iso(AT), principal: 'anonymous', action, queue: 'default', target, details };
}
