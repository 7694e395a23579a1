// The command line against a real server: submit, wait, dead letters, queues, exit codes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { runCliProcess, startCliServer, type TestServer } from '../support/cli.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';

const TASKS = fileURLToPath(new URL('./greet-tasks.ts', import.meta.url));
let folder = '';
let server: TestServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
  server = await startCliServer(
    ['--worker', TASKS, '--store', `sqlite:${join(folder, 's.db')}`, '--heartbeat-ms', '100'],
    { cwd: folder },
  );
});

afterAll(async () => {
  await server?.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

/** In this process, which spares a start per command; a few tests below start a real one. */
async function sluice(...args: string[]) {
  const terminal = recordingTerminal();
  const code = await runCli(
    [...args, ...(args.includes('--help') ? [] : ['--url', server.url])],
    terminal,
    '1.2.3',
  );
  return { code, out: terminal.printed.out, err: terminal.printed.err };
}

async function json(...args: string[]) {
  const { code, out, err } = await sluice(...args, '--json');
  if (code !== 0) throw new Error(`exit ${code}: ${err}`);
  return JSON.parse(out);
}

describe('sluice', () => {
  it('submits a task to a TypeScript handler and waits for its result', async () => {
    const task = await json(
      'submit',
      'greet',
      '--payload',
      '{"name":"Ada"}',
      '--wait',
      '--priority',
      '9',
      '--tenant',
      't',
    );
    expect(task).toMatchObject({ status: 'succeeded', result: 'hello Ada', priority: 9, tenant: 't' });
    const plain = await sluice('get', task.id);
    expect(plain.out).toContain('status\tsucceeded\n');
    const listed = await sluice('list', '--type', 'greet');
    expect(listed.out.split('\n')[0]?.split('\t')).toEqual(
      expect.arrayContaining([task.id, 'greet', 'default', 'succeeded']),
    );
  });

  it('takes payloads from standard input and from files', async () => {
    await writeFile(join(folder, 'p.json'), '{"name":"file"}');
    const fromFile = await json('submit', 'greet', '--payload', `@${join(folder, 'p.json')}`, '--wait');
    expect(fromFile.result).toBe('hello file');
    const piped = await runCliProcess(
      ['submit', 'greet', '--payload', '-', '--wait', '--json', '--url', server.url],
      {
        input: '{"name":"pipe"}',
      },
    );
    expect(JSON.parse(piped.out).result).toBe('hello pipe');
  });

  it('dead-letters, lists, redrives and discards', async () => {
    const submitted = await sluice('submit', 'fails', '--max-attempts', '1', '--wait');
    expect(submitted.code).toBe(1);
    expect(submitted.err).toMatch(/ended dead_lettered \(attempts_exhausted\): Error: as ever/);
    const { items } = await json('dlq', 'list', '--type', 'fails');
    expect(items).toHaveLength(1);
    const [{ id }] = items;
    expect(items[0].dead_letter.reason).toBe('attempts_exhausted');
    expect((await sluice('dlq', 'redrive', id)).out).toBe(`${id} redriven\n`);
    let task = await json('get', id);
    while (task.generation < 2 || task.status !== 'dead_lettered') task = await json('get', id);
    const unasked = await sluice('dlq', 'discard', id);
    expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await sluice('dlq', 'discard', '--all', '--queue', 'default', '--yes')).code).toBe(0);
    expect((await json('dlq', 'list')).items).toEqual([]);
    expect((await json('get', id)).status).toBe('dead_lettered');
  });

  it('pauses, purges, resumes, sets and shows queues', async () => {
    expect((await sluice('queue', 'pause', 'calm', '--reason', 'test')).code).toBe(0);
    await json('submit', 'greet', '--queue', 'calm', '--payload', '{"name":"x"}');
    await json('submit', 'greet', '--queue', 'calm', '--delay', '1h');
    expect(await json('queue', 'stats', 'calm')).toMatchObject({ queued: 1, scheduled: 1, paused: true });
    expect((await sluice('queue', 'purge', 'calm')).code).toBe(2);
    expect((await sluice('queue', 'purge', 'calm', '--yes')).out).toBe('calm: 2 purged\n');
    expect((await sluice('queue', 'resume', 'calm')).code).toBe(0);
    await json('queue', 'set', 'calm', 'max_depth=1', 'dead_letter=false');
    expect(await json('queue', 'stats', 'calm')).toMatchObject({
      limit: 1,
      totals: { accepted: 2, cancelled: 2 },
    });
    const rows = (await sluice('queue', 'list')).out.trim().split('\n');
    expect(rows.map((row) => row.split('\t')[0])).toEqual(['calm', 'default']);
  });

  it('is refused for load with exit code 3 and the Retry-After', async () => {
    await json('queue', 'set', 'narrow', 'max_depth=0');
    const refused = await sluice('submit', 'greet', '--queue', 'narrow');
    expect(refused).toMatchObject({ code: 3, out: '' });
    expect(refused.err).toMatch(/^sluice: QUEUE_FULL: .*\(Retry-After: \d+ s\)\n$/);
  });

  it('cancels what waits and what runs', async () => {
    const waiting = await json('submit', 'greet', '--delay', '1h');
    expect((await sluice('cancel', waiting.task_id)).out).toBe(`${waiting.task_id} cancelled\n`);
    const running = await json('submit', 'hangs');
    let task = await json('get', running.task_id);
    while (task.status !== 'running') task = await json('get', running.task_id);
    expect((await sluice('cancel', running.task_id)).out).toContain('was told to stop');
    while (task.status === 'running') task = await json('get', running.task_id);
    expect(task).toMatchObject({ status: 'cancelled', cancel_reason: 'requested' });
    const late = await sluice('cancel', running.task_id);
    expect(late).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${running.task_id}: TASK_FINISHED`),
    });
  });

  it('says why a task died, and which task a key belongs to', async () => {
    const expired = await sluice('submit', 'nobody-knows', '--ttl', '50ms', '--wait');
    expect(expired).toMatchObject({ code: 1, err: expect.stringContaining('ended dead_lettered (expired)') });
    const { task_id } = await json('submit', 'greet', '--delay', '1h', '--key', 'once');
    const again = await sluice('submit', 'greet', '--delay', '2h', '--key', 'once');
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining(`(the first: ${task_id})`) });
  });
});

describe('exit codes', () => {
  it('2 for usage, with a hint', async () => {
    expect(await sluice('sumbit', 'x')).toMatchObject({ code: 2, err: expect.stringContaining('submit') });
    expect((await sluice('submit', 'x', '--delay', 'soon')).code).toBe(2);
    expect((await sluice('submit', 'greet', '--priority', '12')).err).toMatch(/INVALID_TASK: priority/);
  });

  it('2 for configuration, naming setting, value and range', async () => {
    const { code, err } = await runCliProcess(['serve'], { cwd: folder, env: { SLUICE_PORT: '99999' } });
    expect(code).toBe(2);
    expect(err).toBe('sluice: SLUICE_PORT is "99999", expected an integer 0..65535\n');
    await writeFile(join(folder, 'sluice.config.json'), '{"max_queue_deptt": 5}');
    const file = await runCliProcess(['serve'], { cwd: folder });
    await rm(join(folder, 'sluice.config.json'));
    expect(file).toMatchObject({ code: 2, err: expect.stringContaining('did you mean max_queue_depth?') });
    const url = await runCliProcess(['get', 'x'], { env: { SLUICE_URL: 'ftp://x' } });
    expect(url).toMatchObject({
      code: 2,
      err: expect.stringContaining('SLUICE_URL is "ftp://x", expected an http'),
    });
  });

  it('1 for a port that is taken, with the way out', async () => {
    const { port } = new URL(server.url);
    const { code, err } = await runCliProcess(['serve', '--store', 'memory:', '--port', port]);
    expect(code).toBe(1);
    expect(err).toContain(`port ${port} of 127.0.0.1 is taken; --port (SLUICE_PORT) names another`);
  });

  it('4 for a server that is not there', async () => {
    const { code, err } = await runCliProcess(['list', '--url', 'http://127.0.0.1:9']);
    expect(code).toBe(4);
    expect(err).toMatch(/cannot reach a server at http:\/\/127\.0\.0\.1:9/);
  });

  it('0 for help and version', async () => {
    expect(await runCliProcess(['--version'])).toMatchObject({ code: 0, out: '0.1.0\n', err: '' });
    expect(await sluice('queue', '--help')).toMatchObject({ code: 0, out: expect.stringContaining('purge') });
    expect((await sluice('--help')).out).toContain('3 refused for load');
  });
});
