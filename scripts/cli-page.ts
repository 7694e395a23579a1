// The page of the command line, read from the program itself.
import type { Command } from 'commander';
import { EXIT } from '../src/cli/exit.ts';
import { buildProgram } from '../src/cli/program.ts';
import { processTerminal } from '../src/cli/terminal.ts';

const MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Done.',
  failed: 'Failed: the server refused, the task did not succeed, the demo does not add up.',
  usage: 'Usage or configuration: one line names what is wrong.',
  refused: 'Refused for load: the line ends with the `Retry-After`.',
  unreachable: 'No server answers at the address.',
};

/** The body of docs/reference/cli.md, below its title. */
export function cliBody(): string {
  const program = buildProgram(processTerminal(), '0.0.0');
  const codes = Object.entries(EXIT).map(
    ([name, code]) => `| ${code} | ${MEANINGS[name as keyof typeof EXIT]} |`,
  );
  return `Results go to stdout, remarks and errors to stderr. On a terminal results are tables; elsewhere they are lines of values
separated by tabs, without a header, and no colour; \`--json\` gives the server's answer. \`queue purge\` and \`dlq discard\` ask
first, or take \`--yes\`. Durations are \`1500\` (milliseconds), \`500ms\`, \`10s\`, \`5m\`, \`2h\` or \`1d\`.

| exit code | meaning |
|---|---|
${codes.join('\n')}

${leaves(program).map(section).join('\n')}`;
}

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function section(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const rows = command.options
    .filter((option) => !option.hidden)
    .map(
      (option) =>
        `| \`${option.flags.replaceAll('|', '\\|')}\` | ${option.description.replaceAll('|', '\\|')} |`,
    );
  const table = rows.length === 0 ? '' : `\n| option | meaning |\n|---|---|\n${rows.join('\n')}\n`;
  return `## ${names.join(' ')}\n\n\`${names.join(' ')} ${command.usage()}\`\n\n${sentence(command.description())}\n${table}`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
