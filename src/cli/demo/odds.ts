// Scene three: the tasks that do not simply run. One waits for its time, one needs three attempts, one comes too late
// and is redriven to a good end, one is beyond help and stays a dead letter after its second chance.

import { segment } from '../context.ts';
import type { TaskView } from '../wire.ts';
import type { Receipt } from './ledger.ts';
import { type Stage, submit, until } from './stage.ts';

export interface OddsStory {
  /** How long after its due time it started: never less than 0. */
  readonly delayed: { readonly askedMs: number; readonly lateMs: number };
  readonly flaky: { readonly attempts: number; readonly lastError: string };
  readonly late: { readonly reason: string; readonly endedAfterRedrive: string };
  readonly hopeless: { readonly reason: string; readonly generations: number };
}

const QUEUE = 'odds';
/** Paused, so that a task in it can be late. */
const JAMMED = 'jammed';
const DELAY_MS = 2_000;
const TTL_MS = 300;
const SOON = { base_ms: 100, multiplier: 2, max_ms: 1_000, jitter: 0 };

export async function oddsScene(stage: Stage): Promise<OddsStory> {
  const [delayed, flaky, late, hopeless] = await Promise.all([
    delayedTask(stage),
    flakyTask(stage),
    lateTask(stage),
    hopelessTask(stage),
  ]);
  return { delayed, flaky, late, hopeless };
}

async function delayedTask(stage: Stage) {
  const receipt = await submit(stage, {
    queue: QUEUE,
    type: 'echo',
    payload: { hello: 'later' },
    delay_ms: DELAY_MS,
  });
  const task = await until(stage, receipt, succeeded);
  return { askedMs: DELAY_MS, lateMs: Date.parse(task.started_at ?? '') - Date.parse(task.available_at) };
}

async function flakyTask(stage: Stage) {
  const receipt = await submit(stage, { queue: QUEUE, type: 'flaky', payload: { failures: 2 }, retry: SOON });
  const task = await until(stage, receipt, succeeded);
  return { attempts: task.attempt, lastError: task.last_error?.message ?? 'none' };
}

async function lateTask(stage: Stage) {
  const { api } = stage;
  await api.post(`/queue/${JAMMED}/pause`, { reason: 'to let a task come too late' });
  const receipt = await submit(stage, {
    queue: JAMMED,
    type: 'echo',
    payload: { hello: 'again' },
    ttl_ms: TTL_MS,
  });
  const dead = await until(stage, receipt, deadLettered(1));
  await api.post(`/queue/${JAMMED}/resume`);
  await redrive(stage, receipt);
  const task = await until(stage, receipt, (now) => now.generation > 1 && now.finished_at !== null);
  return { reason: dead.dead_letter?.reason ?? 'none', endedAfterRedrive: task.status };
}

async function hopelessTask(stage: Stage) {
  const receipt = await submit(stage, { queue: QUEUE, type: 'always-fail', max_attempts: 2, retry: SOON });
  const dead = await until(stage, receipt, deadLettered(1));
  await redrive(stage, receipt);
  const again = await until(stage, receipt, deadLettered(2));
  return { reason: dead.dead_letter?.reason ?? 'none', generations: again.generation };
}

async function redrive({ api, ledger }: Stage, receipt: Receipt): Promise<void> {
  await api.post(`/dlq/${segment(receipt.id)}/redrive`);
  ledger.redrives.push(receipt);
}

const succeeded = (task: TaskView) => task.status === 'succeeded';
const deadLettered = (generation: number) => (task: TaskView) =>
  task.status === 'dead_lettered' && task.generation >= generation;
