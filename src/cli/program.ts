// The command line as a whole: which commands there are, and how any of them ends.
import { Command, CommanderError } from 'commander';
import { clientUrl } from '../compose/configuration.ts';
import { demoCommand } from './commands/demo.ts';
import { dlqCommands } from './commands/dlq.ts';
import { queueCommands } from './commands/queue.ts';
import { serveCommand } from './commands/serve.ts';
import { submitCommand } from './commands/submit.ts';
import { taskCommands } from './commands/tasks.ts';
import type { CliContext } from './context.ts';
import type { DemoParts } from './demo/run.ts';
import { CliError, EXIT, type ExitCode, usageError } from './exit.ts';
import type { Terminal } from './terminal.ts';

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 usage or configuration, 3 refused for load (try again after the Retry-After printed),
4 no server to be reached.`;

/** Runs one command line (without node and script) to its exit code. Never throws. */
export async function runCli(
  args: readonly string[],
  terminal: Terminal,
  version: string,
  demo: Partial<DemoParts> = {},
): Promise<ExitCode> {
  try {
    await buildProgram(terminal, version, demo).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (thrown) {
    terminal.status(null);
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (thrown instanceof CliError) {
      terminal.err(`sluice: ${thrown.message}`);
      return thrown.exitCode;
    }
    terminal.err(`sluice: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return EXIT.failed;
  }
}

export function buildProgram(terminal: Terminal, version: string, demo: Partial<DemoParts> = {}): Command {
  const program = new Command('sluice')
    .description('A durable, load-leveling task queue.')
    .version(version)
    .exitOverride()
    .addHelpText('after', EXIT_CODES)
    .showHelpAfterError('(--help shows what there is)')
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  const context: CliContext = {
    terminal,
    urlOf(flag) {
      const found = clientUrl(flag);
      if ('error' in found) throw usageError(found.error);
      return found.url;
    },
  };
  serveCommand(program, context, version);
  submitCommand(program, context);
  taskCommands(program, context);
  queueCommands(program, context);
  dlqCommands(program, context);
  demoCommand(program, context, demo);
  return program;
}
