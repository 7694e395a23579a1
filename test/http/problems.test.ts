// What goes wrong before a route has its say: one shape for all of it, in words that never quote the request.
import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES, type ProblemCode } from '../../src/core/codes.ts';
import type { Answer } from '../support/http-client.ts';
import { testServer } from '../support/http-server.ts';
import { connect } from '../support/raw-http.ts';

const SECRET = 'hunter2';

function expectProblem(answer: Answer, code: ProblemCode): void {
  const { status, title } = PROBLEM_CODES[code];
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  const { body } = answer;
  expect(Object.keys(body)).toEqual([
    'type',
    'title',
    'status',
    'detail',
    'code',
    'message',
    'request_id',
    'details',
  ]);
  expect(body).toMatchObject({ type: `/docs/errors#${code}`, title, status, code });
  expect(body.message).toBe(body.detail);
  expect(body.request_id).toBe(answer.headers.get('x-request-id'));
  expect(answer.text).not.toContain(SECRET);
}

/** Bytes as they are, and all that comes back until the server closes. */
async function exchange(url: string, bytes: string): Promise<string> {
  const { socket, ended } = connect(url);
  socket.write(bytes);
  return await ended;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const raw = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE) => ({ body, headers });
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('refused by every path alike', () => {
  it.each([
    ['a path that does not exist', 'GET', '/nothing', {}, 'NOT_FOUND'],
    ['a path outside the prefix', 'POST', '//', raw('{}'), 'NOT_FOUND'],
    ['a path with a broken escape', 'GET', '/tasks/%zz', {}, 'INVALID_REQUEST'],
    ['a name longer than any', 'GET', `/queue/${'q'.repeat(500)}`, {}, 'NOT_FOUND'],
    ['a method that the path does not have', 'DELETE', '/tasks', {}, 'METHOD_NOT_ALLOWED'],
    ['another method with a body', 'PUT', '/queue/q/settings', raw(`{"${SECRET}"`), 'METHOD_NOT_ALLOWED'],
    ['text', 'POST', '/tasks', raw(SECRET, { 'content-type': 'text/plain' }), 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a form where none is taken',
      'PATCH',
      '/queue/q/settings',
      raw(SECRET, { 'content-type': 'multipart/form-data; boundary=x' }),
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a compressed body',
      'POST',
      '/tasks',
      raw(SECRET, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['broken JSON', 'POST', '/tasks', raw(`{"type": "${SECRET}`), 'INVALID_REQUEST'],
    ['bytes that are no UTF-8', 'POST', '/tasks', raw(Buffer.from([0x22, 0xff, 0x22])), 'INVALID_REQUEST'],
    ['a body that is no object', 'POST', '/tasks', raw(`"${SECRET}"`), 'INVALID_TASK'],
    ['no body', 'POST', '/tasks', {}, 'INVALID_TASK'],
    ['too deep a payload', 'POST', '/tasks', raw(`{"type":"t","payload":${nested(33)}}`), 'INVALID_TASK'],
    ['a depth that would break a stack', 'POST', '/tasks', raw(nested(200_000)), 'INVALID_TASK'],
    ['a body over the bound', 'POST', '/tasks', raw(`"${SECRET.repeat(400)}"`), 'BODY_TOO_LARGE'],
    ['a parameter nobody knows', 'GET', `/tasks?quee=${SECRET}`, {}, 'INVALID_REQUEST'],
    ['a parameter given twice', 'GET', '/tasks?queue=a&queue=b', {}, 'INVALID_REQUEST'],
    ['a page of no items', 'GET', '/tasks?limit=0', {}, 'INVALID_REQUEST'],
    ['a cursor from nowhere', 'GET', `/tasks?cursor=${SECRET}`, {}, 'INVALID_REQUEST'],
    ['a body where none belongs', 'POST', '/queue/q/resume', raw('{"reason":1}'), 'INVALID_REQUEST'],
    ['a page of another origin', 'POST', '/tasks', { headers: { origin: 'http://evil.test' } }, 'FORBIDDEN'],
    ['a page of no origin', 'POST', '/queue/q/purge', { headers: { origin: 'null' } }, 'FORBIDDEN'],
  ] as const)('%s', async (...[name, method, path, request, code]) => {
    const bodyMax = name.includes('stack') ? 1_000_000 : 2_048;
    const server = await testServer({ config: { maxBodyBytes: bodyMax } });
    expectProblem(await server.request(method, path, request), code);
  });

  it('says what was meant', async () => {
    const server = await testServer();
    const { body } = await server.post('/tasks', { type: 't', prioritty: SECRET });
    expect(body.details).toEqual({
      issues: [{ path: 'prioritty', rule: 'unknown field', kind: 'string', did_you_mean: 'priority' }],
    });
    const { body: query } = await server.get('/dlq?resaon=expired');
    expect(query.details).toMatchObject({ issues: [{ path: 'resaon', did_you_mean: 'reason' }] });
  });

  it('names the methods that there are', async () => {
    const server = await testServer();
    const answer = await server.request('DELETE', '/tasks');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(answer.body.details).toEqual({ allow: ['GET', 'HEAD', 'POST'] });
  });

  it('bytes that are no HTTP, twice told lengths, a length beside chunks', async () => {
    const { url } = await testServer();
    const head = 'POST /api/v1/tasks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    for (const bytes of [
      `${SECRET}\r\n\r\n`,
      `${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
      `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ]) {
      const answer = await exchange(url, bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toContain('application/problem+json');
      expect(answer).toContain('"code":"INVALID_REQUEST"');
      expect(answer).not.toContain(SECRET);
    }
  });

  it('a defect is told as such, and only the log says which', async () => {
    const server = await testServer({
      faults: {
        before: (operation) => {
          if (operation === 'get') throw new TypeError(SECRET);
        },
      },
    });
    const answer = await server.get('/tasks/01a22f9e-a841-7000-b462-98aa6f000000');
    expectProblem(answer, 'INTERNAL_ERROR');
    const line = server.lines.find(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ request_id: answer.headers.get('x-request-id') });
  });
});

describe('a body that is refused before all of it has come', () => {
  const HEAD = 'POST /api/v1/tasks HTTP/1.1\r\nhost: x\r\ncontent-type: ';

  it.each([
    ['its length says too much', 'application/json\r\ncontent-length: 3000000\r\n\r\n', 413, ''],
    [
      'a chunk is too much',
      'application/json\r\ntransfer-encoding: chunked\r\n\r\n2dc6c0\r\n',
      413,
      '\r\n0\r\n\r\n',
    ],
    ['its type is not taken', 'text/plain\r\ncontent-length: 3000000\r\n\r\n', 415, ''],
  ])('%s: the answer comes, and the connection goes on', async (_name, head, status, end) => {
    const server = await testServer({ config: { maxBodyBytes: 2_048 } });
    const { socket, until } = connect(server.url);
    socket.write(`${HEAD}${head}${'x'.repeat(10_000)}`);
    await until(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\\}$`));
    socket.write(`${'x'.repeat(2_990_000)}${end}GET /health HTTP/1.1\r\nhost: x\r\n\r\n`);
    await until(/\}HTTP\/1.1 200 OK/);
    socket.destroy();
  });

  it('a client that goes on beyond anything that is taken is cut off', async () => {
    const server = await testServer({ config: { maxFileBytes: 1_000, maxBodyBytes: 2_048 } });
    const { socket, ended } = connect(server.url);
    socket.write(`${HEAD}application/json\r\ncontent-length: ${2 ** 40}\r\n\r\n`);
    const flood = () => {
      while (socket.writable && socket.write('x'.repeat(65_536)));
    };
    socket.on('drain', flood);
    flood();
    await ended;
  });
});

describe('the id of a request', () => {
  it("is the caller's where it is safe, echoed and logged", async () => {
    const server = await testServer();
    const { headers } = await server.request('GET', '//health', { headers: { 'x-request-id': 'abc-123' } });
    expect(headers.get('x-request-id')).toBe('abc-123');
    expect(server.lines.map(({ fields }) => fields)).toContainEqual(
      expect.objectContaining({ request_id: 'abc-123', method: 'GET', route: '/health', status: 200 }),
    );
  });

  it.each(['', 'with space', 'ünicode', 'x'.repeat(129), '<script>'])('is made for %j', async (given) => {
    const server = await testServer();
    const text = await exchange(
      server.url,
      `GET /health HTTP/1.1\r\nhost: x\r\nx-request-id: ${given}\r\nconnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/\r\nx-request-id: [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}\r\n/);
  });
});

describe('names that mean something to JavaScript', () => {
  it('are data in a payload, and come back as they were', async () => {
    const server = await testServer();
    const payload = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const answer = await server.request('POST', '/tasks', {
      body: `{"type":"constructor","payload":${payload},"metadata":{"__proto__":1}}`,
      headers: JSON_TYPE,
    });
    expect(answer.status).toBe(202);
    const { text } = await server.get(`/tasks/${answer.body.task_id}`);
    expect(text).toContain(`"payload":${payload}`);
    expect(text).toContain('"metadata":{"__proto__":1}');
    expect({}).not.toHaveProperty('polluted');
  });

  it('are unknown fields of a task and of settings', async () => {
    const server = await testServer();
    for (const [method, path] of [
      ['POST', '/tasks'],
      ['PATCH', '/queue/q/settings'],
    ] as const) {
      const body = '{"type":"t","__proto__":{"type":"t"}}';
      const answer = await server.request(method, path, { body, headers: JSON_TYPE });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('"path":"__proto__","rule":"unknown field"');
    }
  });
});

it('the page that problems refer to has every code', async () => {
  const server = await testServer();
  const { status, headers, text } = await server.get('//docs/errors');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  for (const code of Object.keys(PROBLEM_CODES)) expect(text).toContain(`id="${code}"`);
});
