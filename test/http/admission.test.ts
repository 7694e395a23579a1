// Admission over real HTTP: whatever the number of submitters, no more than the limit gets in, every refusal says why and
// when to come back, and leaves nothing behind.
import { describe, expect, it } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { STORES, type TestServer, testServer } from '../support/http-server.ts';

const SUBMITTERS = 64;
const LIMIT = 25;
const ROUNDS = 20;

/** One task each, all at once. */
function burst(send: (submitter: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: SUBMITTERS }, (_, submitter) => send(submitter)));
}

function split(answers: readonly Answer[]) {
  return {
    accepted: answers.filter(({ status }) => status === 202),
    refused: answers.filter(({ status }) => status !== 202),
  };
}

function expectFull({ status, headers, body }: Answer, queue: string): void {
  expect(status).toBe(429);
  expect(body).toMatchObject({
    code: 'QUEUE_FULL',
    status: 429,
    details: { queue, depth: LIMIT, limit: LIMIT, limit_name: 'max_depth' },
  });
  expect(Object.keys(body.details as object)).toHaveLength(4);
  // No completion was seen, so the hint is the fixed one.
  expect(headers.get('retry-after')).toBe('5');
}

async function expectOnly(server: TestServer, queue: string, accepted: readonly Answer[]): Promise<void> {
  const ids = accepted.map(({ body }) => body.task_id);
  const { body: listed } = await server.get(`/tasks?queue=${queue}&limit=200`);
  const items = listed.items as { id: string }[];
  expect(items.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(listed.next_cursor).toBeNull();
  const { body: counts } = await server.get(`/queue/${queue}`);
  expect(counts).toMatchObject({
    depth: LIMIT,
    queued: LIMIT,
    running: 0,
    scheduled: 0,
    retrying: 0,
    dead_lettered: 0,
    saturated: true,
    totals: { accepted: LIMIT, succeeded: 0, failed: 0, cancelled: 0, expired: 0, dead_lettered: 0 },
  });
}

describe.each(STORES)('over %s', (store) => {
  it(`of ${SUBMITTERS} at once exactly ${LIMIT} get in, ${ROUNDS} rounds`, async () => {
    const server = await testServer({ store });
    for (let round = 0; round < ROUNDS; round += 1) {
      const queue = `round-${round}`;
      await server.patch(`/queue/${queue}/settings`, { max_depth: LIMIT });
      const answers = await burst((submitter) =>
        server.post('/tasks', { queue, type: 'work', payload: { submitter } }),
      );
      const { accepted, refused } = split(answers);
      expect(accepted).toHaveLength(LIMIT);
      for (const answer of refused) expectFull(answer, queue);
      await expectOnly(server, queue, accepted);
    }
  });

  it('a key that got in is answered at the limit, a key that did not has left no trace', async () => {
    const server = await testServer({ store });
    const queue = 'keys';
    await server.patch(`/queue/${queue}/settings`, { max_depth: LIMIT });
    const task = (submitter: number) => ({ queue, type: 'work', payload: { submitter } });
    const send = (submitter: number) =>
      server.post('/tasks', task(submitter), { 'idempotency-key': `"key-${submitter}"` });
    const first = await burst(send);
    const { accepted } = split(first);
    expect(accepted).toHaveLength(LIMIT);

    const again = await burst(send);
    again.forEach((answer, submitter) => {
      const before = first[submitter];
      if (before?.status === 202) {
        expect(before.body).not.toHaveProperty('duplicate');
        expect(answer.status).toBe(200);
        const { task_id } = before.body;
        expect(answer.body).toMatchObject({ task_id, status: 'queued', duplicate: true });
      } else expectFull(answer, queue);
    });

    const others = await burst((submitter) =>
      server.post(
        '/tasks',
        { ...task(submitter), payload: 'other' },
        { 'idempotency-key': `key-${submitter}` },
      ),
    );
    others.forEach((answer, submitter) => {
      const before = first[submitter];
      if (before?.status === 202) {
        expect(answer.status).toBe(422);
        const { task_id } = before.body;
        expect(answer.body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', details: { task_id } });
      } else expectFull(answer, queue);
    });
    await expectOnly(server, queue, accepted);
  });

  it('with files too: as many files as tasks, and none of the refused', async () => {
    const server = await testServer({ store });
    const queue = 'files';
    await server.patch(`/queue/${queue}/settings`, { max_depth: LIMIT });
    const answers = await burst((submitter) =>
      server.upload({ queue, type: 'work' }, `a,b\n${submitter},${'x'.repeat(50_000)}\n`),
    );
    const { accepted, refused } = split(answers);
    expect(accepted).toHaveLength(LIMIT);
    for (const answer of refused) expectFull(answer, queue);
    await expectOnly(server, queue, accepted);
    expect(server.files()).toHaveLength(LIMIT);
  });

  it('what is too large is told before what is too much', async () => {
    const server = await testServer({ store, config: { maxPayloadBytes: 100 } });
    const queue = 'large';
    await server.patch(`/queue/${queue}/settings`, { max_depth: 0 });
    const { status, headers, body } = await server.post('/tasks', {
      queue,
      type: 'work',
      payload: 'x'.repeat(99),
    });
    expect(status).toBe(413);
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: { bytes: 101, limit: 100 } });
    expect(headers.get('retry-after')).toBeNull();
    // One byte less fits, and meets the closed intake.
    const fits = await server.post('/tasks', { queue, type: 'work', payload: 'x'.repeat(98) });
    expect(fits.status).toBe(429);
    expect(fits.headers.get('retry-after')).toBe('30');
    const { body: queueNow } = await server.get(`/queue/${queue}`);
    expect(queueNow).toMatchObject({ depth: 0, totals: { accepted: 0 } });
  });

  it('over all queues the bound is max_pending, and replays still pass it', async () => {
    const server = await testServer({ store, config: { maxPending: 3 }, frozenAt: 1_700_000_000_000 });
    const key = { 'idempotency-key': 'mine' };
    const first = await server.post('/tasks', { type: 'work' }, key);
    await server.submitted({ queue: 'b' });
    await server.submitted({ queue: 'c' });
    server.advance(250);
    const refused = await server.post('/tasks', { queue: 'd', type: 'work' });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'SATURATED', details: { pending: 3, max_pending: 3 } });
    expect(refused.headers.get('retry-after')).toBe('5');
    const replay = await server.post('/tasks', { type: 'work' }, key);
    expect(replay.status).toBe(200);
    expect(replay.body.task_id).toBe(first.body.task_id);
    const other = await server.post('/tasks', { type: 'other' }, key);
    expect(other.status).toBe(422);
    expect((await server.get('/queue')).body).toMatchObject({
      pending: 3,
      saturated: true,
      retry_after_s: 5,
    });
    expect((await server.get('/queue/d')).status).toBe(404);
  });
});
