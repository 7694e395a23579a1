// `queue list|stats|pause|resume|purge|set`.
import type { Command } from 'commander';
import { type CliContext, type ClientFlags, clientCommand, clientOf, print, segment } from '../context.ts';
import { CliError, EXIT } from '../exit.ts';
import { printFields, printTable } from '../terminal.ts';
import { settingsPatch } from '../values.ts';
import type { QueueView, SystemView } from '../wire.ts';

interface Paused {
  readonly queue: string;
  readonly paused: boolean;
  readonly since: string | null;
}

export function queueCommands(program: Command, context: CliContext): void {
  const queue = program.command('queue').description('look at queues and steer them');
  listAndStats(queue, context);
  pauseAndResume(queue, context);

  clientCommand(queue, 'purge <name>', 'cancel every waiting and scheduled task of a queue')
    .option('--yes', 'do not ask')
    .action(async (name: string, flags: ClientFlags & { yes?: boolean }) => {
      const client = clientOf(context, flags);
      const question = `Cancel every waiting and scheduled task of ${name}?`;
      if (flags.yes !== true && !(await client.terminal.confirm(question))) {
        throw new CliError(EXIT.failed, 'nothing was purged');
      }
      const { body } = await client.api.post<{ purged: number }>(`/queue/${segment(name)}/purge`);
      print(client, body, () => client.terminal.out(`${name}: ${body.purged} purged`));
    });

  clientCommand(
    queue,
    'set <name> <setting=value...>',
    'change settings; the value is JSON, or `default` to take an override back',
  ).action(async (name: string, pairs: string[], flags: ClientFlags) => {
    const client = clientOf(context, flags);
    const path = `/queue/${segment(name)}/settings`;
    const { body } = await client.api.request<Record<string, unknown>>('PATCH', path, {
      json: settingsPatch(pairs),
    });
    print(client, body, () => printFields(client.terminal, body));
  });
}

function listAndStats(queue: Command, context: CliContext): void {
  clientCommand(queue, 'list', 'every queue with its counts')
    .option('--cursor <cursor>', 'continue where a page ended')
    .action(async ({ cursor, ...flags }) => {
      const client = clientOf(context, flags);
      const { body } = await client.api.get<SystemView>('/queue', { cursor });
      print(client, body, () => {
        printTable(client.terminal, HEADER, body.queues.map(rowOf));
        if (body.next_cursor !== null) client.terminal.err(`more: --cursor ${body.next_cursor}`);
      });
    });

  clientCommand(queue, 'stats <name>', 'one queue: counts, totals, limits').action(
    async (name: string, flags: ClientFlags) => {
      const client = clientOf(context, flags);
      const { body } = await client.api.get<QueueView>(`/queue/${segment(name)}`);
      print(client, body, () => printFields(client.terminal, { ...body }));
    },
  );
}

function pauseAndResume(queue: Command, context: CliContext): void {
  clientCommand(queue, 'pause <name>', 'hand out no more tasks of a queue')
    .option('--reason <text>', 'shown to whoever looks')
    .action(async (name: string, { reason, ...flags }) => {
      const client = clientOf(context, flags);
      const json = reason === undefined ? {} : { reason };
      const { body } = await client.api.post<Paused>(`/queue/${segment(name)}/pause`, json);
      print(client, body, () => client.terminal.out(`${name} is paused since ${body.since}`));
    });

  clientCommand(queue, 'resume <name>', 'hand out tasks again').action(async (name: string, flags) => {
    const client = clientOf(context, flags);
    const { body } = await client.api.post<Paused>(`/queue/${segment(name)}/resume`);
    print(client, body, () => client.terminal.out(`${name} is not paused`));
  });
}

const HEADER = [
  'QUEUE',
  'DEPTH',
  'LIMIT',
  'QUEUED',
  'RUNNING',
  'SCHEDULED',
  'RETRYING',
  'DEAD',
  'ACCEPTED',
  'SUCCEEDED',
  'PAUSED',
];

function rowOf(view: QueueView) {
  return [
    view.queue,
    view.depth,
    view.limit,
    view.queued,
    view.running,
    view.scheduled,
    view.retrying,
    view.dead_lettered,
    view.totals.accepted,
    view.totals.succeeded,
    view.paused ? 'paused' : '',
  ];
}
