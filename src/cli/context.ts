// What every client command shares: the server to talk to, the terminal, and how results are printed.
import type { Command } from 'commander';
import { Api } from './api.ts';
import type { Terminal } from './terminal.ts';

export interface CliContext {
  readonly terminal: Terminal;
  /** Of `--url`, else the environment, else the default. */
  readonly urlOf: (flag: string | undefined) => string;
}

export interface ClientFlags {
  readonly url?: string;
  readonly json?: boolean;
}

export interface Client {
  readonly api: Api;
  readonly terminal: Terminal;
  readonly json: boolean;
}

/** A subcommand of `parent` that talks to a server. */
export function clientCommand(parent: Command, usage: string, description: string): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--url <url>', 'server to talk to (env SLUICE_URL; default http://127.0.0.1:7070)')
    .option('--json', 'print the answer as JSON');
}

export function clientOf(context: CliContext, flags: ClientFlags): Client {
  return {
    api: new Api(context.urlOf(flags.url)),
    terminal: context.terminal,
    json: flags.json === true,
  };
}

/** The answer as JSON where asked for, else as `human` prints it. */
export function print<T>({ terminal, json }: Client, value: T, human: (value: T) => void): void {
  if (json) terminal.out(JSON.stringify(value, null, terminal.isTty ? 2 : 0));
  else human(value);
}

/** A name as one path segment. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}
