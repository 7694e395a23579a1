// `demo`: shows on a throw-away server what Sluice does, and checks that it adds up.
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { type DemoParts, runDemo } from '../demo/run.ts';
import { CliError, EXIT } from '../exit.ts';

/** @param parts how to play where it is not to be as it is for everybody */
export function demoCommand(program: Command, context: CliContext, parts: Partial<DemoParts>): void {
  program
    .command('demo')
    .description(
      'CSV imports, a burst over the limit, retries and a redrive on a throw-away server; ends by itself',
    )
    .option('--json', 'print the sums as JSON at the end')
    .action(async ({ json }: { json?: boolean }) => {
      const stop = new AbortController();
      const interrupt = () => stop.abort();
      process.once('SIGINT', interrupt);
      process.once('SIGTERM', interrupt);
      try {
        const { terminal } = context;
        const shown = json === true ? { ...terminal, out: terminal.err } : terminal;
        const lines = await runDemo({ ...parts, terminal: shown, signal: stop.signal });
        const addsUp = lines.every((line) => line.holds);
        if (json === true) terminal.out(JSON.stringify({ adds_up: addsUp, sums: lines }));
        if (!addsUp) throw new CliError(EXIT.failed, 'the demo does not add up');
      } finally {
        process.off('SIGINT', interrupt);
        process.off('SIGTERM', interrupt);
      }
    });
}
