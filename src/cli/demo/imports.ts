// Scene one: CSV imports of several priorities and tenants come in while their queue is paused, then run.

import { isRecord } from '../api.ts';
import type { DemoCsv } from '../demo-csv.ts';
import type { TaskView } from '../wire.ts';
import { inLanes, pause, queueOf, type Stage, submit, until } from './stage.ts';

export interface ImportsStory {
  readonly files: number;
  readonly rows: number;
  readonly seconds: number;
  /** Priorities in the order in which the imports started. */
  readonly startOrder: readonly number[];
  /** Tenants in the order in which the imports of the highest priority started. */
  readonly tenantsAtTop: readonly string[];
  /** Every import counted the rows and came to the sum that the file was made with. */
  readonly exact: boolean;
}

const QUEUE = 'imports';
const PRIORITIES = [1, 5, 9];
const TENANTS = ['ada', 'bob', 'cyd'];
const UPLOADS_AT_ONCE = 4;
const LOOK_MS = 200;

export async function importsScene(
  stage: Stage,
  about: { readonly file: string; readonly csv: DemoCsv; readonly count: number },
): Promise<ImportsStory> {
  const { api, terminal } = stage;
  const { csv, file, count } = about;
  await api.post(`/queue/${QUEUE}/pause`, { reason: 'so that all are there before the first starts' });
  const tasks = Array.from({ length: count }, (_, i) => ({
    queue: QUEUE,
    type: 'csv-import',
    priority: PRIORITIES[i % PRIORITIES.length],
    tenant: TENANTS[Math.floor(i / PRIORITIES.length) % TENANTS.length],
    timeout_ms: 120_000,
  }));
  let taken = 0;
  const receipts = await inLanes(tasks, UPLOADS_AT_ONCE, async (task) => {
    const receipt = await submit(stage, task, file);
    taken += 1;
    terminal.status(`imports: ${taken} of ${count} files taken in`);
    return receipt;
  });
  const started = performance.now();
  await api.post(`/queue/${QUEUE}/resume`);
  await followQueue(stage, count);
  const seconds = (performance.now() - started) / 1000;
  const ended = await inLanes(receipts, 4, (receipt) =>
    until(stage, receipt, (task) => task.finished_at !== null),
  );
  const inOrder = [...ended].sort((a, b) => startOf(a) - startOf(b) || b.priority - a.priority);
  const top = Math.max(...PRIORITIES);
  return {
    files: count,
    rows: csv.rows * count,
    seconds,
    startOrder: inOrder.map((task) => task.priority),
    tenantsAtTop: inOrder.filter((task) => task.priority === top).map((task) => task.tenant),
    exact: ended.every((task) => isExact(task, csv)),
  };
}

async function followQueue(stage: Stage, count: number): Promise<void> {
  let shown = -1;
  for (;;) {
    const { depth, totals } = await queueOf(stage, QUEUE);
    const done = count - depth;
    stage.terminal.status(`imports: ${bar(done / count)} ${done} of ${count} done`);
    if (!stage.terminal.isTty && Math.floor((done * 4) / count) > shown) {
      shown = Math.floor((done * 4) / count);
      stage.terminal.out(`imports: ${done} of ${count} done`);
    }
    if (totals.accepted >= count && depth === 0) return;
    await pause(stage, LOOK_MS);
  }
}

function startOf(task: TaskView): number {
  return task.started_at === null ? Number.POSITIVE_INFINITY : Date.parse(task.started_at);
}

function isExact(task: TaskView, csv: DemoCsv): boolean {
  const { result } = task;
  if (!isRecord(result) || result.rows !== csv.rows || !Array.isArray(result.columns)) return false;
  const quantity = result.columns.find((column) => isRecord(column) && column.name === 'quantity');
  return isRecord(quantity) && quantity.sum === csv.quantitySum;
}

const BAR = 24;

function bar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}
