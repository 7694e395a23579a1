// `get`, `list` and `cancel`.
import type { Command } from 'commander';
import { type Answer, Refusal } from '../api.ts';
import { type CliContext, type Client, clientCommand, clientOf, print, segment } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { printFields, printTable } from '../terminal.ts';
import { integer } from '../values.ts';
import type { PageView, TaskView } from '../wire.ts';

export function taskCommands(program: Command, context: CliContext): void {
  clientCommand(program, 'get <id>', 'show a task').action(async (id: string, flags) => {
    const client = clientOf(context, flags);
    const { body } = await client.api.get<TaskView>(`/tasks/${segment(id)}`);
    print(client, body, (task) => printFields(client.terminal, { ...task }));
  });

  clientCommand(program, 'list', 'list tasks, newest first')
    .option('--queue <name>', 'only this queue')
    .option('--status <status>', 'only this status')
    .option('--type <type>', 'only this task type')
    .option('--tenant <tenant>', 'only this tenant')
    .option('--limit <n>', 'at most this many, 1..200', integer, 50)
    .option('--cursor <cursor>', 'continue where a page ended')
    .action(async ({ url, json, ...query }) => {
      const client = clientOf(context, { url, json });
      const { body } = await client.api.get<PageView<TaskView>>('/tasks', query);
      print(client, body, (page) => printPage(client, page));
    });

  clientCommand(program, 'cancel <id...>', 'cancel tasks; a running one is told to stop').action(
    async (ids: string[], flags) => {
      const client = clientOf(context, flags);
      const answers: unknown[] = [];
      for (const id of ids) {
        const { body } = await cancelled(client, id);
        answers.push({ task_id: id, ...body });
        if (client.json) continue;
        const running = body.status === 'running';
        client.terminal.out(running ? `${id} is running and was told to stop` : `${id} cancelled`);
      }
      if (client.json) print(client, ids.length === 1 ? answers[0] : answers, () => undefined);
    },
  );
}

/** A refusal says which of several ids it is about. */
async function cancelled({ api }: Client, id: string): Promise<Answer<{ status: string }>> {
  try {
    return await api.post<{ status: string }>(`/tasks/${segment(id)}/cancel`);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new CliError(thrown.exitCode, `${id}: ${thrown.message}`, { cause: thrown });
  }
}

function printPage(client: Client, page: PageView<TaskView>): void {
  const { terminal } = client;
  const header = ['ID', 'TYPE', 'QUEUE', 'STATUS', 'PRIORITY', 'TENANT', 'ATTEMPT', 'CREATED'];
  const rows = page.items.map((task) => [
    task.id,
    task.type,
    task.queue,
    task.status,
    task.priority,
    task.tenant,
    `${task.attempt}/${task.max_attempts}`,
    task.created_at,
  ]);
  printTable(terminal, header, rows);
  if (page.next_cursor !== null) terminal.err(`more: --cursor ${page.next_cursor}`);
}

/** What a finished task means for the exit code. */
export function failIfNotSucceeded(task: TaskView): void {
  if (task.status === 'succeeded') return;
  const { last_error: error, dead_letter: letter } = task;
  const reason = letter === null ? '' : ` (${letter.reason})`;
  const why = error === null ? '' : `: ${error.name}: ${error.message}`;
  throw new CliError(EXIT.failed, `task ${task.id} ended ${task.status}${reason}${why}`);
}
