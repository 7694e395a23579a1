// The demo's server: the same command line in a process of its own, on a free port, with everything in one temporary folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '../../compose/configuration.ts';
import { CliError, EXIT } from '../exit.ts';

export interface DemoServer {
  readonly url: string;
  readonly pid: number;
  /** Rejects when the server ends before it is stopped. */
  readonly ended: Promise<never>;
  /** Ends the process, gently and then not. Safe to call twice. */
  stop(): Promise<void>;
}

const START_MS = 30_000;
const STOP_MS = 8_000;
const STDERR_KEPT = 2_000;

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Starts `sluice serve` with these arguments in `folder`, deaf to the user's own configuration. */
export async function startServerProcess(folder: string, args: readonly string[]): Promise<DemoServer> {
  const child = spawn(process.execPath, [...process.execArgv, MAIN, 'serve', '--json', ...args], {
    cwd: folder,
    env: bareEnvironment(),
    // The channel ends with this process, however it ends, and the server stops when it does.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors = (errors + String(chunk)).slice(-STDERR_KEPT);
  });
  let stopping = false;
  const exited = once(child, 'exit');
  const ended = exited.then(([code, signal]) => {
    if (stopping) return new Promise<never>(() => undefined);
    const how = signal === null ? `exit code ${code}` : signal;
    throw new CliError(EXIT.failed, `the demo's server ended by itself (${how})\n${errors.trim()}`);
  });
  ended.catch(() => undefined);
  const stop = async () => {
    stopping = true;
    await endProcess(child);
  };
  try {
    const url = await Promise.race([addressOf(child), ended, tooLate()]);
    return { url, pid: child.pid ?? 0, ended, stop };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the server has no output to read');
  for await (const line of createInterface({ input: child.stdout })) {
    const said: unknown = JSON.parse(line);
    if (typeof said === 'object' && said !== null && 'url' in said) return String(said.url);
  }
  // Its output has ended, so it has, too; that error says more.
  return new Promise(() => undefined);
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(timer);
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(
      () => reject(new CliError(EXIT.failed, `the demo's server did not start within ${START_MS / 1000} s`)),
      START_MS,
    );
    timer.unref();
  });
}
