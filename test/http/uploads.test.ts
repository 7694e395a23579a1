// Files that come with tasks: held to the byte, refused early where that is possible, and gone with every refusal.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { EngineError } from '../../src/engine/errors.ts';
import { ANONYMOUS } from '../../src/engine/principal.ts';
import { type TestServer, testServer } from '../support/http-server.ts';
import { newTask } from '../support/new-task.ts';
import { connect, formBytes, formHead } from '../support/raw-http.ts';

const AT = 1_700_000_000_000;
const CSV = 'a,b\n1,2\n';
const TASK = { head: 'name="task"', content: '{"type":"t"}' };
const FILE = { head: 'name="file"; filename="x.csv"', content: CSV };

async function sendForm(server: TestServer, parts: Parameters<typeof formBytes>[0], complete = true) {
  const body = formBytes(parts, complete);
  const { status, body: told } = await server.request('POST', '/tasks', {
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  return { status, code: told.code, told };
}

function pathOf(server: TestServer, name: string): string {
  return server.broker.uploads?.pathOf(name) ?? '';
}

it('keeps the file under a name of its own, for its owner alone, and shows what it is', async () => {
  const server = await testServer();
  const { status, body } = await server.upload({ type: 'csv-import', queue: 'imports' }, CSV);
  expect(status).toBe(202);
  const [name = '', ...others] = server.files();
  expect(others).toEqual([]);
  expect(name).toMatch(/^[0-9a-f-]{36}_imports$/);
  expect(readFileSync(pathOf(server, name), 'utf8')).toBe(CSV);
  expect(statSync(pathOf(server, name)).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(pathOf(server, name))).mode & 0o777).toBe(0o700);
  const { body: task } = await server.get(`/tasks/${body.task_id}`);
  expect(task.input).toEqual({
    name: 'data.csv',
    content_type: 'text/csv',
    bytes: CSV.length,
    sha256: createHash('sha256').update(CSV).digest('hex'),
  });
});

it.each([
  ['C:\\\\files\\\\..\\\\report.csv', 'report.csv'],
  ['../../etc/passwd', 'passwd'],
  ['a\u202etxt.exe', 'atxt.exe'],
  ['😀'.repeat(300), '😀'.repeat(255)],
])('a file called %j is shown as a name only', async (filename, shown) => {
  const server = await testServer();
  const head = `name="file"; filename="${filename}"`;
  const { status, told } = await sendForm(server, [TASK, { head, content: CSV }]);
  expect(status).toBe(202);
  const { body } = await server.get(`/tasks/${told.task_id}`);
  expect(body.input).toMatchObject({ name: shown, bytes: CSV.length });
});

it.each([
  ['no part', [], true],
  ['only a file', [FILE], true],
  ['only a task', [TASK], true],
  ['the file first', [FILE, TASK], true],
  ['a part after the file', [TASK, FILE, TASK], true],
  ['a task that is no JSON', [{ ...TASK, content: '{"type":' }, FILE], true],
  ['an end that never comes', [TASK, FILE], false],
])('refuses a form with %s, and keeps nothing', async (_name, parts, complete) => {
  const server = await testServer();
  expect(await sendForm(server, parts, complete)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  expect(server.files()).toEqual([]);
  expect((await server.get('/tasks')).body.items).toEqual([]);
});

it('takes a task part in any dress: a field, or a file with a type', async () => {
  const server = await testServer();
  for (const head of [
    'name="task"',
    'name="task"\r\ncontent-type: application/json',
    'name="task"; filename="blob"\r\ncontent-type: application/json',
  ]) {
    expect(await sendForm(server, [{ head, content: TASK.content }, FILE])).toMatchObject({ status: 202 });
  }
});

it('cuts a file at its bound, whatever was announced, and the client reads why', async () => {
  const server = await testServer({ config: { maxFileBytes: 1_000 } });
  expect((await server.upload({ type: 't' }, 'x'.repeat(1_000))).status).toBe(202);
  const kept = server.files();
  const { status, body } = await server.upload({ type: 't' }, 'x'.repeat(3_000_000));
  expect(status).toBe(413);
  expect(body).toMatchObject({ code: 'FILE_TOO_LARGE', details: { limit: 1_000 } });
  expect((body.details as { bytes: number }).bytes).toBeGreaterThan(1_000);
  expect(server.files()).toEqual(kept);
});

it('bounds the task part like any body', async () => {
  const server = await testServer({ config: { maxBodyBytes: 2_048 } });
  const { status, code } = await sendForm(server, [{ ...TASK, content: `"${'x'.repeat(3_000)}"` }, FILE]);
  expect([status, code]).toEqual([413, 'BODY_TOO_LARGE']);
});

it('answers before the file has come, where the task alone is enough to say no', async () => {
  const server = await testServer();
  await server.patch('/queue/full/settings', { max_depth: 0 });
  for (const [content, status] of [
    ['{"type":"t","nope":1}', 400],
    ['{"type":"t","queue":"full"}', 429],
  ] as const) {
    const { socket, until, ended } = connect(server.url);
    socket.write(formHead(50_000_000));
    socket.write(formBytes([{ ...TASK, content }], false));
    // A promised file of 50 MB, of which only the head ever comes.
    socket.write(`--b\r\ncontent-disposition: form-data; ${FILE.head}\r\n\r\nx`);
    expect(await until(/\}$/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
    await ended;
  }
  expect(server.files()).toEqual([]);
});

it('takes the next request on a connection whose upload was refused early', async () => {
  const server = await testServer();
  const { socket, until } = connect(server.url);
  const body = formBytes([
    { ...TASK, content: '{"type":1}' },
    { ...FILE, content: 'x'.repeat(200_000) },
  ]);
  socket.write(formHead(body.length));
  socket.write(body);
  await until(/^HTTP\/1.1 400 [\s\S]*\}$/);
  socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(/\}HTTP\/1.1 200 OK/);
  socket.destroy();
});

it('cuts off a client that goes on sending beyond any form', async () => {
  const server = await testServer({ config: { maxFileBytes: 1_000, maxBodyBytes: 2_048 } });
  const { socket, ended } = connect(server.url);
  socket.write(formHead(2 ** 40));
  socket.write(formBytes([{ ...TASK, content: '{"type":1}' }], false));
  const flood = () => {
    while (socket.writable && socket.write('x'.repeat(65_536)));
  };
  socket.on('drain', flood);
  flood();
  await ended;
  expect(server.files()).toEqual([]);
});

it('a connection that breaks leaves no file', async () => {
  const server = await testServer();
  const { socket, ended } = connect(server.url);
  socket.write(formHead(50_000_000));
  socket.write(formBytes([TASK], false));
  socket.write(`--b\r\ncontent-disposition: form-data; ${FILE.head}\r\n\r\n${'x'.repeat(300_000)}`);
  await vi.waitFor(() => expect(server.files()).toHaveLength(1), { timeout: 10_000 });
  socket.destroy();
  await ended;
  await vi.waitFor(() => expect(server.files()).toEqual([]), { timeout: 10_000 });
  expect((await server.get('/tasks')).body.items).toEqual([]);
});

it('what the store refuses at the last moment leaves no file', async () => {
  const server = await testServer({ frozenAt: AT, config: { maxQueueDepth: 1 } });
  await server.patch('/queue/default/settings', {});
  // The cheap check looks at a load of this moment, and at nothing newer while the clock stands still.
  await server.broker.gauges.load('default');
  await server.engine.submit([newTask(AT)], { at: AT, principal: ANONYMOUS });
  const { status, body } = await server.upload({ type: 't' }, CSV);
  expect(status).toBe(429);
  expect(body).toMatchObject({ code: 'QUEUE_FULL', details: { limit_name: 'max_depth', depth: 1 } });
  expect(server.files()).toEqual([]);
});

it('one key and one file are one task; another file, or none, is another', async () => {
  const server = await testServer();
  const key = { 'idempotency-key': 'k' };
  const first = await server.upload({ type: 't' }, CSV, key);
  const again = await server.upload({ type: 't' }, CSV, key);
  expect([again.status, again.body.task_id, again.body.duplicate]).toEqual([200, first.body.task_id, true]);
  const other = await server.upload({ type: 't' }, 'a,b\n3,4\n', key);
  expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  const none = await server.post('/tasks', { type: 't' }, key);
  expect([none.status, none.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  expect(server.files()).toHaveLength(1);
});

it.each([
  ['none', 0],
  ['unknown', 1],
] as const)('where the outcome is %s, %i files are kept', async (outcome, kept) => {
  const server = await testServer({
    faults: {
      before: (operation) => {
        if (operation === 'submit') throw new EngineError('STORE_UNAVAILABLE', 'gone', { outcome });
      },
    },
  });
  const { status, headers, body } = await server.upload({ type: 't' }, CSV);
  expect(status).toBe(503);
  expect(body).toMatchObject({ code: 'STORE_UNAVAILABLE', details: { outcome } });
  expect(headers.get('retry-after')).toBe('5');
  expect(server.files()).toHaveLength(kept);
});

it('without a folder forms are not taken', async () => {
  const server = await testServer({ uploads: false });
  const { status, body } = await server.upload({ type: 't' }, CSV);
  expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
});

it('a form without boundary is refused', async () => {
  const server = await testServer();
  const headers = { 'content-type': 'multipart/form-data' };
  const { status, body } = await server.request('POST', '/tasks', { body: 'x', headers });
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
});

it('gives the file back, byte for byte, as something to save', async () => {
  const server = await testServer();
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 256));
  const { body } = await server.upload({ type: 't' }, new Blob([content], { type: 'text/html' }));
  const response = await fetch(`${server.url}/api/v1/tasks/${body.task_id}/input`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-length': '200000',
    'x-content-type-options': 'nosniff',
  });
  expect(content.equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  expect((await server.request('HEAD', `/tasks/${body.task_id}/input`)).text).toBe('');

  await server.broker.uploads?.remove(server.files()[0] ?? '');
  const without = await server.submitted({});
  for (const id of [body.task_id, without, 'nonsense']) {
    const { status, body: told } = await server.get(`/tasks/${id}/input`);
    expect([status, told.code]).toEqual([404, 'NOT_FOUND']);
  }
});

it('a path from the store never leads out of the folder', async () => {
  const server = await testServer();
  const folder = server.broker.uploads?.folder ?? '';
  expect(pathOf(server, '../../etc/passwd')).toBe(join(folder, 'passwd'));
});
