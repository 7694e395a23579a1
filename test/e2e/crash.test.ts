// kill -9 of the server under work, and a new one on the same store: nothing accepted is lost.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Api } from '../../src/cli/api.ts';
import type { Accepted, QueueView, TaskView } from '../../src/cli/wire.ts';
import { startCliServer, type TestServer } from '../support/cli.ts';

let folder = '';
const servers: TestServer[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-crash-'));
});

afterAll(async () => {
  for (const server of servers) await server.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<TestServer> {
  const store = `sqlite:${join(folder, 's.db')}`;
  const server = await startCliServer(
    ['--worker', '--store', store, '--lease-ms', '1000', '--reap-interval-ms', '50'],
    { cwd: folder },
  );
  servers.push(server);
  return server;
}

it('tasks finish after kill -9 and a restart; those that ran have one lost lease', async () => {
  const first = await start();
  const api = new Api(first.url);
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) {
    const { body } = await api.post<Accepted>('/tasks', {
      type: 'sleep',
      payload: { ms: i < 4 ? 600_000 : 1 },
      timeout_ms: 700_000,
    });
    ids.push(body.task_id);
  }
  for (;;) {
    const { body } = await api.get<QueueView>('/queue/default');
    if (body.running === 4) break;
  }
  await first.kill('SIGKILL');

  const second = await start();
  const again = new Api(second.url);
  const look = async (id: string) =>
    (await again.get<TaskView & { deliveries: number }>(`/tasks/${id}`)).body;
  // The four sleepers come back to a worker: cancel them, so that the others get their slots.
  for (const id of ids.slice(0, 4)) {
    let task = await look(id);
    while (task.deliveries < 2) task = await look(id);
    await again.post(`/tasks/${id}/cancel`);
  }
  for (const id of ids) {
    let task = await look(id);
    while (task.finished_at === null) task = await look(id);
    expect(task.status).toBe(ids.indexOf(id) < 4 ? 'cancelled' : 'succeeded');
  }
  const { body } = await again.get<QueueView>('/queue/default');
  expect(body.totals).toMatchObject({ accepted: 12, succeeded: 8, cancelled: 4 });
});
