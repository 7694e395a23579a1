import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Api, Refusal } from './api.ts';
import { CliError, EXIT } from './exit.ts';

let server: Server | null = null;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function apiOver(listener: RequestListener, signal?: AbortSignal): Promise<Api> {
  server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new Api(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, signal);
}

async function failureOf(promise: Promise<unknown>): Promise<CliError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof CliError) return thrown;
  throw new Error(`not a CliError: ${thrown}`);
}

describe('Api', () => {
  it('sends method, path, query and JSON, and reads the answer', async () => {
    let seen = '';
    const api = await apiOver(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen = `${request.method} ${request.url} ${request.headers['content-type']} ${body}`;
      response.writeHead(202, { 'x-test': 'yes' }).end('{"a":1}');
    });
    const answer = await api.request('PATCH', '/queue/a', {
      query: { x: 'ü &', y: undefined },
      json: { b: 2 },
    });
    expect(seen).toBe('PATCH /api/v1/queue/a?x=%C3%BC+%26 application/json {"b":2}');
    expect(answer).toMatchObject({ status: 202, body: { a: 1 } });
    expect(answer.headers.get('x-test')).toBe('yes');
  });

  it.each([
    [429, EXIT.refused],
    [503, EXIT.refused],
    [400, EXIT.usage],
    [404, EXIT.failed],
    [413, EXIT.failed],
    [500, EXIT.failed],
  ])('reads a problem of status %i as exit code %i', async (status, exitCode) => {
    const api = await apiOver((_, response) => {
      const problem = { code: 'SOME_CODE', message: 'no', details: { queue: 'q' } };
      response.writeHead(status, { 'retry-after': '7' }).end(JSON.stringify(problem));
    });
    const refusal = await failureOf(api.get('/x'));
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ exitCode, code: 'SOME_CODE', details: { queue: 'q' }, retryAfterS: 7 });
    expect(refusal.message).toBe('SOME_CODE: no (Retry-After: 7 s)');
  });

  it('tells a server that is not Sluice, one that hangs up and one that is not there', async () => {
    const other = await apiOver((_, response) => response.end('<html>'));
    expect(await failureOf(other.get('/x'))).toMatchObject({ exitCode: EXIT.failed });
    const rude = await apiOver((request) => request.socket.destroy());
    expect(await failureOf(rude.get('/x'))).toMatchObject({ exitCode: EXIT.unreachable });
    const absent = new Api('http://127.0.0.1:9');
    expect((await failureOf(absent.get('/x'))).message).toMatch(
      /cannot reach a server at http:\/\/127\.0\.0\.1:9 \(/,
    );
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const api = await apiOver(() => stop.abort(new Error('enough')), stop.signal);
    await expect(api.get('/x')).rejects.toThrow('enough');
  });
});
