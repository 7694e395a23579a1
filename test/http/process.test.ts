// The server as a process sees it: alive, ready, and closing without cutting anybody off.
import { expect, it } from 'vitest';
import { EngineError } from '../../src/engine/errors.ts';
import { STORES, testServer } from '../support/http-server.ts';

it.each(STORES)('is alive, and ready while the store over %s answers', async (store) => {
  const server = await testServer({ store });
  expect((await server.get('//health')).body).toEqual({ status: 'ok', version: '0.0.0-test' });
  const ready = await server.get('//ready');
  expect([ready.status, ready.body]).toEqual([200, { status: 'ready', store: server.engine.name }]);
  expect((await server.request('HEAD', '//ready')).status).toBe(200);
});

it('says why it is not ready, and stays alive', async () => {
  let down = false;
  const server = await testServer({
    faults: {
      before: (operation) => {
        if (down && operation === 'probe') throw new EngineError('STORE_UNAVAILABLE', 'disk gone');
      },
    },
  });
  down = true;
  const { status, headers, body } = await server.get('//ready');
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toBe('5');
  expect(body).toMatchObject({
    code: 'STORE_UNAVAILABLE',
    details: { store: 'memory', reason: 'the store does not answer' },
  });
  expect((await server.get('//health')).status).toBe(200);
  down = false;
  expect((await server.get('//ready')).status).toBe(200);
});

it('is not ready while submissions fail, though smaller writes may pass', async () => {
  let full = true;
  const server = await testServer({
    faults: {
      before: (operation) => {
        if (full && operation === 'submit') throw new EngineError('STORE_FULL', 'no room');
      },
    },
  });
  expect((await server.get('//ready')).status).toBe(200);
  expect((await server.post('/tasks', { type: 'work' })).status).toBe(503);
  const { status, body } = await server.get('//ready');
  expect(status).toBe(503);
  expect(body.details).toMatchObject({ reason: 'the store takes no submissions' });
  full = false;
  expect((await server.post('/tasks', { type: 'work' })).status).toBe(202);
  expect((await server.get('//ready')).status).toBe(200);
});

it('a store that hangs makes it not ready in time', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let hang = false;
  const server = await testServer({
    faults: { before: (operation) => (hang && operation === 'probe' ? held : undefined) },
  });
  hang = true;
  const { status, body } = await server.get('//ready');
  expect(status).toBe(503);
  expect(body.details).toMatchObject({ reason: expect.stringContaining('did not answer within') });
  release();
});

it('a full store is saturation, a closed one unavailable', async () => {
  let code: 'STORE_FULL' | 'CLOSED' = 'STORE_FULL';
  const server = await testServer({
    faults: {
      before: (operation) => {
        if (operation === 'submit') throw new EngineError(code, 'no');
      },
    },
  });
  const full = await server.post('/tasks', { type: 't' });
  expect([full.status, full.body.code, full.headers.get('retry-after')]).toEqual([503, 'SATURATED', '5']);
  code = 'CLOSED';
  const closed = await server.post('/tasks', { type: 't' });
  expect([closed.status, closed.body.code]).toEqual([503, 'STORE_UNAVAILABLE']);
  expect(closed.body.details).toEqual({ outcome: 'none' });
});

it('lets what is under way finish when it closes, and takes nothing new', async () => {
  let reached = () => {};
  let release = () => {};
  const arrived = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await testServer({
    // Longer than the test may take: the answered connection itself must not hold the server up.
    config: { drainTimeoutMs: 600_000 },
    faults: {
      before: (operation) => {
        if (operation !== 'submit') return;
        reached();
        return held;
      },
    },
  });
  const answer = server.post('/tasks', { type: 't' });
  await arrived;
  const closed = server.app.close();
  await expect(server.get('/tasks')).rejects.toThrow();
  release();
  expect((await answer).status).toBe(202);
  await closed;
});

it('does not wait for a client that never finishes beyond the time for draining', async () => {
  const server = await testServer({ config: { drainTimeoutMs: 50 } });
  const { connect, formHead } = await import('../support/raw-http.ts');
  const { socket, ended } = connect(server.url);
  socket.write(formHead(1_000));
  // The server has seen the connection once it answers on another one.
  await server.get('//health');
  await server.app.close();
  await ended;
});
