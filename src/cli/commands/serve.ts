// `serve`: a server, with a worker in its process where asked, until it is told to stop.
import { type Command, Option } from 'commander';
import { loadConfiguration } from '../../compose/configuration.ts';
import type { RunningServer } from '../../compose/server.ts';
import { storeName } from '../../compose/store.ts';
import { type Config, namesOf, OPTION_KEYS, OPTIONS } from '../../core/options.ts';
import type { ReserveRequest } from '../../engine/messages.ts';
import type { DrainReport } from '../../worker/worker.ts';
import type { CliContext } from '../context.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { queueWeights } from '../values.ts';

interface ServeFlags {
  /** true: `--worker` without files. */
  readonly worker?: true | readonly string[];
  readonly queue?: readonly string[];
  readonly json?: boolean;
}

export function serveCommand(program: Command, context: CliContext, version: string): void {
  const serve = program
    .command('serve')
    .description('run a server; with --worker, a worker in the same process')
    .option('--worker [files...]', 'work on tasks too: the types in these files, or the built-in ones')
    .option(
      '--queue <names...>',
      'with --worker: queues to work on, each NAME or NAME=WEIGHT (default: default)',
    )
    .option('--json', 'print the address as one line of JSON');
  for (const key of OPTION_KEYS) serve.addOption(configOption(key));
  serve.action(async ({ worker, queue, json, ...flags }: ServeFlags) => {
    const config = configOf(flags);
    if (queue !== undefined && worker === undefined) throw usageError('--queue needs --worker');
    // Loaded here, so that client commands start without a server's weight.
    const [{ createLog }, { startServer }] = await Promise.all([
      import('../../compose/log.ts'),
      import('../../compose/server.ts'),
    ]);
    const log = createLog(config);
    const files = worker === true || worker === undefined ? [] : worker;
    const wanted = worker === undefined ? null : { files, queues: queuesOf(queue) };
    // Left behind by a handler: worth a line, and no reason to take every other task and client down with it.
    process.on('unhandledRejection', (reason) =>
      log.error({ err: reason }, 'a promise was rejected and nobody looked'),
    );
    const server = await started(config, () => startServer({ config, version, log, worker: wanted }));
    announce(context.terminal, server, { config, json: json === true });
    const report = await untilStopped(server, (message) => log.info(message));
    log.info(report ?? {}, 'stopped');
    // A handler that ignored its signal must not keep a stopped server's process alive.
    process.exit(EXIT.done);
  });
}

function configOption(key: (typeof OPTION_KEYS)[number]): Option {
  const {
    doc,
    default: fallback,
    defaultDoc,
  } = OPTIONS[key] as {
    doc: string;
    default: unknown;
    defaultDoc?: string;
  };
  const { flag, env } = namesOf(key);
  const isFlag = typeof fallback === 'boolean';
  const shown = defaultDoc ?? String(fallback);
  return new Option(
    isFlag ? flag : `${flag} <value>`,
    `${doc} (env ${env}${isFlag ? '' : `; default ${shown}`})`,
  );
}

function configOf(flags: Readonly<Record<string, unknown>>): Config {
  const parsed = loadConfiguration(flags);
  if (parsed.ok) return parsed.config;
  throw usageError(parsed.errors.join('\nsluice: '));
}

function queuesOf(texts: readonly string[] | undefined): ReserveRequest['queues'] {
  return texts === undefined ? [{ name: 'default', weight: 1 }] : queueWeights(texts);
}

async function started({ host, port }: Config, start: () => Promise<RunningServer>): Promise<RunningServer> {
  try {
    return await start();
  } catch (thrown) {
    const taken = (thrown as { code?: unknown } | null)?.code === 'EADDRINUSE';
    if (taken) {
      const reason = `port ${port} of ${host} is taken; --port (SLUICE_PORT) names another, 0 takes a free one`;
      throw new CliError(EXIT.failed, `cannot start: ${reason}`, { cause: thrown });
    }
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CliError(EXIT.failed, `cannot start: ${reason}`, { cause: thrown });
  }
}

function announce(terminal: Terminal, server: RunningServer, about: { config: Config; json: boolean }): void {
  const { url, worker } = server;
  if (about.json) {
    terminal.out(
      JSON.stringify({
        url,
        pid: process.pid,
        store: storeName(about.config),
        worker: worker?.workerId ?? null,
      }),
    );
    return;
  }
  const hands = worker === null ? 'no worker' : `a worker with ${about.config.workerConcurrency} slots`;
  terminal.out(`sluice listens on ${url} (store: ${storeName(about.config)}, ${hands})`);
}

/** The first signal drains, the second stops now. A parent that forked this process and went away counts as the first. */
function untilStopped(server: RunningServer, say: (message: string) => void): Promise<DrainReport | null> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const stop = () => {
      signals += 1;
      say(signals === 1 ? 'stopping: running tasks may finish; again to stop now' : 'stopping now');
      server.close().then(resolve, reject);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
    if (process.connected) process.once('disconnect', stop);
  });
}
