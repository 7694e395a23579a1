// SIGTERM to a server with a worker: running tasks finish; a second one gives them back unspent.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Api } from '../../src/cli/api.ts';
import type { Accepted, TaskView } from '../../src/cli/wire.ts';
import { startCliServer, type TestServer } from '../support/cli.ts';

const TASKS = fileURLToPath(new URL('./greet-tasks.ts', import.meta.url));
let folder = '';
const servers: TestServer[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-stop-'));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function start(...args: string[]): Promise<TestServer> {
  const server = await startCliServer(['--store', `sqlite:${join(folder, 's.db')}`, ...args], {
    cwd: folder,
  });
  servers.push(server);
  return server;
}

async function running(api: Api, type: string, payload: unknown): Promise<string> {
  const { task_id: id } = (await api.post<Accepted>('/tasks', { type, payload, timeout_ms: 600_000 })).body;
  while ((await api.get<TaskView>(`/tasks/${id}`)).body.status !== 'running');
  return id;
}

async function draining(api: Api): Promise<void> {
  const status = async () =>
    (await api.get<{ items: { status: string }[] }>('/workers')).body.items[0]?.status;
  while ((await status()) !== 'draining');
}

it('the first lets running tasks finish, and the server answers meanwhile', async () => {
  const server = await start('--worker', '--worker-concurrency', '1');
  const api = new Api(server.url);
  const id = await running(api, 'sleep', { ms: 1_500 });
  const { body: waiting } = await api.post<Accepted>('/tasks', { type: 'noop' });
  server.child.kill('SIGTERM');
  const worker = async () =>
    (await api.get<{ items: { status: string }[] }>('/workers')).body.items[0]?.status;
  while ((await worker()) !== 'draining');
  await server.ended();
  expect(server.child.exitCode).toBe(0);

  const after = new Api((await start()).url);
  expect((await after.get<TaskView>(`/tasks/${id}`)).body.status).toBe('succeeded');
  expect((await after.get<TaskView>(`/tasks/${waiting.task_id}`)).body).toMatchObject({
    status: 'queued',
    attempt: 0,
  });
});

it('the second gives back what runs, without spending an attempt', async () => {
  const server = await start('--worker', TASKS);
  const api = new Api(server.url);
  const id = await running(api, 'hangs', {});
  server.child.kill('SIGTERM');
  // Two signals at once would be one to the process.
  await draining(api);
  await server.kill('SIGTERM');
  expect(server.child.exitCode).toBe(0);

  const after = new Api((await start()).url);
  expect((await after.get<TaskView>(`/tasks/${id}`)).body).toMatchObject({ status: 'queued', attempt: 0 });
});
