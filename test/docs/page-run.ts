// Runs a page as a reader would: its blocks in order, in one folder of its own, with `sluice` on the path and one server
// at most, on a free port. Pages show the default address; the port in it is replaced before a block runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Block } from './blocks.ts';

const BLOCK_MS_MAX = 60_000;
const READY_MS_MAX = 30_000;
const READY_POLL_MS = 50;
const DEFAULT_ADDRESS = '127.0.0.1:7070';

interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Throws with the block's place and all that it printed, where one does not end with status 0. */
export async function runPage(root: string, blocks: readonly Block[]): Promise<void> {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  // Inside the repository, so that `import 'sluice'` in a reader's file is the package itself, by its exports.
  const base = mkdtempSync(join(root, '.tmp', 'page-'));
  const folder = join(base, 'page');
  const bin = join(base, 'bin');
  for (const path of [folder, bin]) mkdirSync(path);
  symlinkSync(join(root, 'dist', 'cli', 'main.js'), join(bin, 'sluice'));
  // A page that shows an answer shows a good one: refusals make curl fail.
  writeFileSync(join(base, '.curlrc'), 'fail-with-body\n');
  const address = `127.0.0.1:${await freePort()}`;
  const servers: Running[] = [];
  try {
    for (const block of blocks) {
      const code = block.code.replaceAll(DEFAULT_ADDRESS, address);
      if (block.file !== null) writeFileSync(join(folder, block.file), code);
      const command =
        block.language === 'sh' ? code : block.mode === 'run' ? runFile(root, block.file) : null;
      if (command === null) continue;
      const running = start(command, folder, environment(bin, base, address));
      if (block.mode === 'background') {
        servers.push(running);
        await ready(block, running, address);
      } else {
        await ended(block, running);
      }
    }
  } finally {
    for (const server of servers) await stop(server);
    rmSync(base, { recursive: true, force: true });
  }
}

function environment(bin: string, home: string, address: string): NodeJS.ProcessEnv {
  const path = [bin, dirname(process.execPath), process.env.PATH].join(':');
  const port = address.split(':')[1];
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', SLUICE_PORT: port, SLUICE_URL: `http://${address}` };
}

function runFile(root: string, file: string | null): string {
  return `node --import ${pathToFileURL(join(root, 'scripts', 'register-ts.mjs'))} ./${file}`;
}

/** In a process group of its own, so that what a block starts ends with it. */
function start(code: string, cwd: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text };
}

async function ended(block: Block, running: Running): Promise<void> {
  const timer = setTimeout(() => signal(running.child, 'SIGKILL'), BLOCK_MS_MAX);
  const [status, killedBy] = await once(running.child, 'close').finally(() => clearTimeout(timer));
  if (status !== 0) throw failure(block, `ended with ${status ?? killedBy}`, running);
}

async function ready(block: Block, running: Running, address: string): Promise<void> {
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    if (running.child.exitCode !== null) throw failure(block, 'has ended, but serves a page', running);
    const answer = await fetch(`http://${address}/ready`).catch(() => null);
    if (answer?.ok) return;
    if (Date.now() > deadline) throw failure(block, 'is not ready', running);
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
}

async function stop({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  signal(child, 'SIGTERM');
  const timer = setTimeout(() => signal(child, 'SIGKILL'), READY_MS_MAX);
  await gone.finally(() => clearTimeout(timer));
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function failure(block: Block, what: string, running: Running): Error {
  return new Error(`${block.page}:${block.line} ${what}\n${block.code}\n${running.output()}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
