// What the demo's scenes share: the server, the ledger, and how they submit, wait and speak.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, Refusal } from '../api.ts';
import { submitTask } from '../commands/submit.ts';
import { segment } from '../context.ts';
import type { Terminal } from '../terminal.ts';
import type { QueueView, TaskView } from '../wire.ts';
import type { Ledger, Receipt } from './ledger.ts';

export interface Stage {
  readonly api: Api;
  readonly ledger: Ledger;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

const LOOK_MS = 50;

/** One submission that is expected to be taken; what the server refuses is written down and thrown. */
export async function submit(
  { api, ledger }: Stage,
  fields: { readonly queue: string; readonly type: string; readonly [field: string]: unknown },
  file?: string,
): Promise<Receipt> {
  ledger.sent += 1;
  try {
    const { body } = await submitTask(api, fields, file);
    return ledger.accepted(body.task_id, fields.queue);
  } catch (thrown) {
    if (thrown instanceof Refusal) {
      ledger.refusals.push({ queue: fields.queue, code: thrown.code, retryAfterS: thrown.retryAfterS });
    }
    throw thrown;
  }
}

export async function look({ api }: Stage, { id }: Receipt): Promise<TaskView> {
  return (await api.get<TaskView>(`/tasks/${segment(id)}`)).body;
}

export async function queueOf({ api }: Stage, queue: string): Promise<QueueView> {
  return (await api.get<QueueView>(`/queue/${segment(queue)}`)).body;
}

/** Looks until the task is as wanted, and hands it over. */
export async function until(
  stage: Stage,
  receipt: Receipt,
  wanted: (task: TaskView) => boolean,
): Promise<TaskView> {
  for (;;) {
    const task = await look(stage, receipt);
    receipt.status = task.status;
    if (wanted(task)) return task;
    await pause(stage, LOOK_MS);
  }
}

export function pause({ signal }: Stage, ms: number): Promise<void> {
  return sleep(ms, undefined, { signal });
}

/** Runs the jobs, so many at a time; results in their order. */
export async function inLanes<T, R>(
  items: readonly T[],
  lanes: number,
  job: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const lane = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await job(items[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return results;
}
