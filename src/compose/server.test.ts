import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseOptions } from '../core/options-parse.ts';
import { type RunningServer, startServer } from './server.ts';

const log = pino({ level: 'silent' });
const worker = { files: [], queues: [{ name: 'default', weight: 1 }] };
let folder = '';
const running: RunningServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-compose-'));
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(port = 0, name = 's.db', files: readonly string[] = []): Promise<RunningServer> {
  const parsed = parseOptions({ flags: { port, store: `sqlite:${join(folder, name)}` } });
  if (!parsed.ok) throw new Error(parsed.errors.join());
  const server = await startServer({
    config: parsed.config,
    version: '1',
    log,
    worker: { ...worker, files },
  });
  running.push(server);
  return server;
}

async function ask(server: RunningServer, method: string, path: string, body?: unknown) {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await fetch(`${server.url}/api/v1${path}`, { method, ...init });
  return (await response.json()) as Record<string, unknown>;
}

it('serves, works, and closes once for every caller', async () => {
  const server = await start();
  const { task_id: id } = await ask(server, 'POST', '/tasks', { type: 'echo', payload: [1] });
  let task = await ask(server, 'GET', `/tasks/${id}`);
  while (task.finished_at === null) task = await ask(server, 'GET', `/tasks/${id}`);
  expect(task).toMatchObject({ status: 'succeeded', result: [1] });
  const [first, second] = await Promise.all([server.close(), server.close()]);
  expect(first).toEqual({ released: 0, unanswered: 0 });
  expect(second).toEqual(first);
  await expect(fetch(server.url)).rejects.toThrow();
});

it('leaves nothing open where the port is taken or a task file does not load', async () => {
  const taken = Number(new URL((await start()).url).port);
  await expect(start(taken, 'other.db')).rejects.toThrow('EADDRINUSE');
  await expect(start(0, 'other.db', ['./no-such-file.mjs'])).rejects.toThrow(
    'no-such-file.mjs cannot be loaded',
  );
  // The store of the failed ones is free again.
  const after = await start(0, 'other.db');
  expect(await ask(after, 'GET', '/queue')).toMatchObject({ pending: 0 });
});

it('refuses a store that another server holds', async () => {
  await start();
  await expect(start()).rejects.toThrow('open in another server');
});
