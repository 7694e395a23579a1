// `dlq list|redrive|discard`.
import type { Command } from 'commander';
import { isRecord, Refusal } from '../api.ts';
import {
  type CliContext,
  type Client,
  type ClientFlags,
  clientCommand,
  clientOf,
  print,
  segment,
} from '../context.ts';
import { CliError, EXIT, usageError } from '../exit.ts';
import { printTable } from '../terminal.ts';
import { integer } from '../values.ts';
import type { PageView, TaskView } from '../wire.ts';

interface PickFlags extends ClientFlags {
  readonly all?: boolean;
  readonly queue?: string;
  readonly type?: string;
  readonly reason?: string;
  readonly yes?: boolean;
}

type Act = 'redrive' | 'discard';

export function dlqCommands(program: Command, context: CliContext): void {
  const dlq = program
    .command('dlq')
    .description('look at dead letters, give them another chance or let them go');

  clientCommand(dlq, 'list', 'dead letters, newest first')
    .option('--queue <name>', 'only this queue')
    .option('--type <type>', 'only this task type')
    .option('--reason <reason>', 'only this reason')
    .option('--limit <n>', 'at most this many, 1..200', integer, 50)
    .option('--cursor <cursor>', 'continue where a page ended')
    .action(async ({ url, json, ...query }) => {
      const client = clientOf(context, { url, json });
      const { body } = await client.api.get<PageView<TaskView>>('/dlq', query);
      print(client, body, () => printLetters(client, body));
    });

  picking(dlq, 'redrive [id...]', 'queue dead letters again, as a new generation').action(
    async (ids: string[], flags: PickFlags) => {
      await actOnEach('redrive', clientOf(context, flags), ids, flags);
    },
  );

  picking(dlq, 'discard [id...]', 'remove dead letters; their records stay')
    .option('--yes', 'do not ask')
    .action(async (ids: string[], flags: PickFlags) => {
      const client = clientOf(context, flags);
      const what = flags.all === true ? 'every matching dead letter' : `${ids.length} dead letter(s)`;
      checkPick(ids, flags);
      if (flags.yes !== true && !(await client.terminal.confirm(`Discard ${what}?`))) {
        throw new CliError(EXIT.failed, 'nothing was discarded');
      }
      await actOnEach('discard', client, ids, flags);
    });
}

function picking(dlq: Command, usage: string, description: string): Command {
  return clientCommand(dlq, usage, description)
    .option('--all', 'every dead letter that matches, instead of ids')
    .option('--queue <name>', 'with --all: only this queue')
    .option('--type <type>', 'with --all: only this task type')
    .option('--reason <reason>', 'with --all: only this reason');
}

function checkPick(ids: readonly string[], flags: PickFlags): void {
  if (ids.length > 0 === (flags.all === true)) throw usageError('name ids, or --all with or without filters');
}

/** One after the other: an item that is refused does not keep the others from their turn, but load does. */
async function actOnEach(
  act: Act,
  client: Client,
  named: readonly string[],
  flags: PickFlags,
): Promise<void> {
  checkPick(named, flags);
  const ids = flags.all === true ? await lettersOf(client, flags) : named;
  const results: unknown[] = [];
  let failed = 0;
  for (const [i, id] of ids.entries()) {
    client.terminal.status(`${act}: ${i} of ${ids.length}`);
    try {
      const { body } = await client.api.post<unknown>(`/dlq/${segment(id)}/${act}`);
      results.push({ task_id: id, ...(isRecord(body) ? body : {}) });
      if (!client.json) client.terminal.out(`${id} ${act === 'redrive' ? 'redriven' : 'discarded'}`);
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.retryAfterS !== null || ids.length === 1) throw thrown;
      failed += 1;
      results.push({ task_id: id, error: thrown.code });
      client.terminal.err(`${id}: ${thrown.message}`);
    }
  }
  client.terminal.status(null);
  print(client, results, () => undefined);
  if (failed > 0) throw new CliError(EXIT.failed, `${failed} of ${ids.length} failed`);
}

/** Taken before the first is acted on, so that letters that come back meanwhile are not met twice. */
async function lettersOf({ api }: Client, { queue, type, reason }: PickFlags): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await api.get<PageView<TaskView>>('/dlq', { queue, type, reason, limit: 200, cursor });
    ids.push(...body.items.map((task) => task.id));
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

function printLetters(client: Client, page: PageView<TaskView>): void {
  const header = ['ID', 'TYPE', 'QUEUE', 'REASON', 'AT', 'ATTEMPT', 'ERROR'];
  const rows = page.items.map((task) => [
    task.id,
    task.type,
    task.queue,
    task.dead_letter?.reason,
    task.dead_letter?.at,
    task.attempt,
    task.last_error === null ? '' : `${task.last_error.name}: ${task.last_error.message}`,
  ]);
  printTable(client.terminal, header, rows);
  if (page.next_cursor !== null) client.terminal.err(`more: --cursor ${page.next_cursor}`);
}
