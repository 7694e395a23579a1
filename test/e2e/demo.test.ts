// The demo as a user runs it, ended early, and before a server that lies.

import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DemoServer, startServerProcess } from '../../src/cli/demo/server-process.ts';
import { runCli } from '../../src/cli/program.ts';
import { runCliProcess, spawnCli } from '../support/cli.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';

const DEMO_MS = 120_000;
let proxy: Server | null = null;
/** The demos' own temporary folder, so that what one leaves behind shows. */
let temporary = '';

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'sluice-demo-test-'));
});

afterEach(async () => {
  await rm(temporary, { recursive: true, force: true });
  proxy?.closeAllConnections();
  proxy?.close();
  proxy = null;
});

it(
  'plays, adds up, ends with 0 and leaves nothing behind',
  async () => {
    const { code, out, err } = await runCliProcess(['demo'], { env: { TMPDIR: temporary } });
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toMatch(/20 files \(150,000 rows, 8\.\d MiB each\)/);
    expect(out).toContain('every import came to the rows and the sum');
    expect(out).toMatch(/It adds up: \d+ sums/);
    expect(out).not.toContain('\u001b');
    expect(await leftBehind()).toEqual([]);
  },
  DEMO_MS,
);

it(
  'does not add up before a server that counts one success too many',
  async () => {
    const { code, out, err } = await playBefore((body) => {
      for (const queue of body.queues)
        if (queue.queue === 'odds') queue.totals.succeeded = (queue.totals.succeeded ?? 0) + 1;
    });
    expect(out).toContain('BROKEN: ');
    expect(out).toContain('It does NOT add up');
    expect(err).toContain('the demo does not add up');
    expect(code).toBe(1);
  },
  DEMO_MS,
);

it(
  'adds up before the same server that tells the truth',
  async () => {
    const { code, out } = await playBefore(() => undefined);
    expect(out).not.toContain('BROKEN: ');
    expect(code).toBe(0);
  },
  DEMO_MS,
);

it(
  'ends at once on Ctrl-C, and takes its server and its folder with it',
  async () => {
    const child = spawnCli(['demo'], { env: { TMPDIR: temporary } });
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (/process \d+/.test(out)) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    const pid = Number(/process (\d+)/.exec(out)?.[1]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await leftBehind()).toEqual([]);
  },
  DEMO_MS,
);

/** The TypeScript loader keeps a cache there, too. */
async function leftBehind(): Promise<string[]> {
  return (await readdir(temporary)).filter((name) => name.startsWith('sluice'));
}

interface SystemBody {
  queues: { queue: string; totals: Record<string, number> }[];
}

/** A short demo whose every request goes through a proxy that may change the answer of `GET /queue`. */
async function playBefore(change: (body: SystemBody) => void) {
  const terminal = recordingTerminal();
  const startServer = async (folder: string, args: readonly string[]): Promise<DemoServer> => {
    const server = await startServerProcess(folder, args);
    proxy = createServer((from, to) => forward(server.url, { from, to, change }));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return { ...server, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  };
  const sizes = { imports: 3, rows: 1_000, callers: 12, limit: 6 };
  const code = await runCli(['demo'], terminal, '0.0.0', { startServer, sizes });
  return { code, ...terminal.printed };
}

function forward(
  base: string,
  { from, to, change }: { from: IncomingMessage; to: ServerResponse; change: (body: SystemBody) => void },
): void {
  const { method, headers, url = '/' } = from;
  const up = request(new URL(url, base), { method: method ?? 'GET', headers }, async (answer) => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    let body = Buffer.concat(chunks);
    if (method === 'GET' && url === '/api/v1/queue') {
      const parsed = JSON.parse(body.toString()) as SystemBody;
      change(parsed);
      body = Buffer.from(JSON.stringify(parsed));
    }
    const { 'content-length': _, 'transfer-encoding': __, ...rest } = answer.headers;
    to.writeHead(answer.statusCode ?? 502, { ...rest, 'content-length': body.length }).end(body);
  });
  up.on('error', () => to.destroy());
  from.pipe(up);
}
