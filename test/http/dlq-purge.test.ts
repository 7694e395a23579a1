// Letting all dead letters of a queue go at once, in passes.
import { expect, it } from 'vitest';
import { EngineError } from '../../src/engine/errors.ts';
import { ANONYMOUS } from '../../src/engine/principal.ts';
import { STORES, type TestServer, testServer } from '../support/http-server.ts';
import { newTask } from '../support/new-task.ts';

const AT = 1_700_000_000_000;

/** Letters of tasks that waited too long; the newest id comes back. */
async function letters(server: TestServer, queue: string, count: number): Promise<string> {
  const call = { at: AT, principal: ANONYMOUS };
  const tasks = Array.from({ length: count }, () => newTask(AT, { queue, ttlMs: 1 }));
  const results = await server.engine.submit(tasks, call);
  await server.engine.expire(count, { ...call, at: AT + 1 });
  const last = results.at(-1);
  if (last?.outcome !== 'created') throw new Error('not created');
  return last.id;
}

it.each(STORES)('lets those of one queue go, over %s', async (store) => {
  const server = await testServer({ store, frozenAt: AT });
  const id = await letters(server, 'a', 450);
  const other = await letters(server, 'b', 1);
  const { status, body } = await server.post('/dlq/purge', { queue: 'a' });
  expect([status, body]).toEqual([200, { queue: 'a', purged: 450 }]);
  expect((await server.get('/dlq')).body.items).toMatchObject([{ id: other }]);
  expect((await server.get(`/tasks/${id}`)).body.status).toBe('dead_lettered');
  expect((await server.get('/queue/a')).body).toMatchObject({
    dead_lettered: 0,
    totals: { dead_lettered: 450 },
  });
  expect((await server.post('/dlq/purge', { queue: 'a' })).body).toEqual({ queue: 'a', purged: 0 });
  expect((await server.get('/audit')).body.items).toMatchObject([
    { action: 'dlq.purge', queue: 'a', target: null, details: { purged: 0 } },
    { action: 'dlq.purge', queue: 'a', target: null, details: { purged: 450 } },
  ]);
});

it('asks for a queue, and for one that there is', async () => {
  const server = await testServer();
  for (const body of [undefined, {}, { queue: 'Q' }, { queue: 'q', reason: 'expired' }]) {
    const answer = await server.post('/dlq/purge', body);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
  }
  expect((await server.post('/dlq/purge', { queue: 'q' })).status).toBe(404);
});

it('writes down how far it came where the store fails half way', async () => {
  let discards = 0;
  const server = await testServer({
    frozenAt: AT,
    faults: {
      before: (operation) => {
        if (operation !== 'discard') return;
        discards += 1;
        if (discards === 2) throw new EngineError('STORE_UNAVAILABLE', 'gone');
      },
    },
  });
  await letters(server, 'a', 250);
  expect((await server.post('/dlq/purge', { queue: 'a' })).status).toBe(503);
  expect((await server.get('/audit')).body.items).toMatchObject([
    { action: 'dlq.purge', details: { purged: 200 } },
  ]);
  expect((await server.post('/dlq/purge', { queue: 'a' })).body.purged).toBe(50);
});
