// Runs the command line from source, in processes of its own, each ended by its id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const REGISTER = new URL('../../scripts/register-ts.mjs', import.meta.url).href;

export interface CliResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

export function spawnCli(args: readonly string[], { cwd, env }: CliOptions = {}): ChildProcess {
  const bare = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')),
  );
  return spawn(process.execPath, ['--import', REGISTER, MAIN, ...args], {
    env: { ...bare, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** Runs a command to its end. */
export async function runCliProcess(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = spawnCli(args, options);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  child.stdin?.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

export interface TestServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** What it wrote to stderr so far. */
  log(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when the process has ended. */
  ended(): Promise<unknown>;
}

/** `sluice serve` on a free port; resolves when it listens. */
export async function startCliServer(args: readonly string[], options: CliOptions = {}): Promise<TestServer> {
  const child = spawnCli(['serve', '--json', '--port', '0', '--log-format', 'json', ...args], options);
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  const exited = once(child, 'exit');
  const kill = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  if (child.stdout === null) throw new Error('no output');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exited.then(() => null)]);
  if (first === null) throw new Error(`the server did not start: ${errors}`);
  const { url } = JSON.parse(String(first[0])) as { url: string };
  return { url, child, log: () => errors, kill, ended: () => exited };
}
