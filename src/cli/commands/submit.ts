// `submit`: one task, with or without a file, and its end where `--wait` asks for it.
import type { Command } from 'commander';
import type { Answer, Api } from '../api.ts';
import {
  type CliContext,
  type Client,
  type ClientFlags,
  clientCommand,
  clientOf,
  print,
} from '../context.ts';
import { printFields } from '../terminal.ts';
import { submissionForm } from '../upload.ts';
import { durationMs, integer, jsonArgument } from '../values.ts';
import { waitForFinal } from '../wait.ts';
import type { Accepted, TaskView } from '../wire.ts';
import { failIfNotSucceeded } from './tasks.ts';

interface SubmitFlags extends ClientFlags {
  readonly payload?: unknown;
  readonly metadata?: unknown;
  readonly file?: string;
  readonly wait?: boolean;
  readonly queue?: string;
  readonly priority?: number;
  readonly tenant?: string;
  readonly delay?: number;
  readonly runAt?: string;
  readonly ttl?: number;
  readonly timeout?: number;
  readonly maxAttempts?: number;
  readonly retry?: unknown;
  readonly key?: string;
}

export function submitCommand(program: Command, context: CliContext): void {
  clientCommand(program, 'submit <type>', 'submit a task')
    .option('--payload <json>', 'payload: JSON, @FILE or - for standard input', jsonArgument)
    .option('--metadata <json>', 'metadata: a JSON object, @FILE or -', jsonArgument)
    .option('--file <path>', 'a file that goes with the task')
    .option('--wait', 'wait for the end, print the task; exit 1 unless it succeeded')
    .option('--queue <name>', 'queue (default: default)')
    .option('--priority <n>', '0..9, 9 runs first (default: 5)', integer)
    .option('--tenant <name>', 'fairness key')
    .option(
      '--delay <duration>',
      'start no earlier than in this time, such as 30s; a bare number is ms',
      durationMs,
    )
    .option('--run-at <time>', 'start no earlier than at this RFC 3339 time')
    .option('--ttl <duration>', 'start no later than in this time', durationMs)
    .option('--timeout <duration>', 'end an attempt after this time (default: 30s)', durationMs)
    .option('--max-attempts <n>', '1..100 (default: 5)', integer)
    .option('--retry <json>', '{"base_ms", "multiplier", "max_ms", "jitter"}', jsonArgument)
    .option('--key <key>', 'idempotency key: submitting again answers with the first task')
    .action(async (type: string, flags: SubmitFlags) => {
      const client = clientOf(context, flags);
      if (flags.file !== undefined) client.terminal.status(`sending ${flags.file}`);
      const { body } = await submitTask(client.api, taskOf(type, flags), flags.file);
      client.terminal.status(null);
      if (flags.wait !== true) {
        print(client, body, () => printFields(client.terminal, { ...body }));
        return;
      }
      const task = await follow(client, body.task_id);
      print(client, task, () => printFields(client.terminal, { ...task }));
      failIfNotSucceeded(task);
    });
}

/** One submission; `fields` are the task's wire fields. */
export async function submitTask(
  api: Api,
  fields: Readonly<Record<string, unknown>>,
  file?: string,
): Promise<Answer<Accepted>> {
  if (file === undefined) return await api.post<Accepted>('/tasks', fields);
  return await api.request<Accepted>('POST', '/tasks', { body: await submissionForm(fields, file) });
}

function taskOf(type: string, flags: SubmitFlags): Record<string, unknown> {
  const fields: Record<string, unknown> = {
    type,
    payload: flags.payload,
    metadata: flags.metadata,
    queue: flags.queue,
    priority: flags.priority,
    tenant: flags.tenant,
    delay_ms: flags.delay,
    run_at: flags.runAt,
    ttl_ms: flags.ttl,
    timeout_ms: flags.timeout,
    max_attempts: flags.maxAttempts,
    retry: flags.retry,
    idempotency_key: flags.key,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function follow(client: Client, id: string): Promise<TaskView> {
  const { terminal } = client;
  const task = await waitForFinal(client.api, id, ({ status, progress }) => {
    const done = progress === null ? '' : ` ${progress.percent.toFixed(0)} % ${progress.message}`;
    terminal.status(`${id} ${status}${done}`);
  });
  terminal.status(null);
  return task;
}
