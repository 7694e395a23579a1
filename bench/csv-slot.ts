// csv-import as it runs in earnest: a durable sqlite store, a worker with one slot, submit to settled.
import { randomFillSync } from 'node:crypto';
import { join } from 'node:path';
import { idMaker } from '../src/core/id.ts';
import type { InputFile } from '../src/core/task.ts';
import type { NewTask } from '../src/engine/messages.ts';
import { sqliteEngine } from '../src/engines/sqlite/index.ts';
import { builtinHandlers } from '../src/worker/builtin/handlers.ts';
import { Worker } from '../src/worker/worker.ts';

const makeId = idMaker((into) => randomFillSync(into));

export interface Slot {
  /** Submits one import and answers its result once it is settled. */
  importOnce(): Promise<unknown>;
  close(): Promise<void>;
}

export async function openSlot(folder: string, input: InputFile): Promise<Slot> {
  const engine = sqliteEngine({ file: join(folder, 'bench.db') });
  await engine.open();
  const builtin = builtinHandlers(1);
  const worker = new Worker({
    source: engine,
    tasks: builtin.handlers,
    concurrency: 1,
    pathOf: (file) => file.path,
  });
  await worker.start();
  const call = () => ({ at: Math.floor(performance.timeOrigin + performance.now()), principal: 'bench' });
  let settled: () => void = () => undefined;
  const unsubscribe = await engine.subscribe((events) => {
    if (events.some(({ type }) => type === 'TASK_SUCCEEDED' || type === 'TASK_DEAD_LETTERED')) settled();
  });
  return {
    async importOnce() {
      const done = new Promise<void>((resolve) => {
        settled = resolve;
      });
      const [created] = await engine.submit([importTask(input, call().at)], call());
      if (created?.outcome !== 'created') throw new Error(`not created: ${created?.outcome}`);
      await done;
      const [task] = await engine.get([created.id], call());
      if (!task?.result) throw new Error(`no result: ${task?.lastError?.message}`);
      return JSON.parse(task.result);
    },
    async close() {
      await worker.drain(5_000);
      await builtin.close();
      await unsubscribe();
      await engine.close();
    },
  };
}

function importTask(input: InputFile, at: number): NewTask {
  return {
    id: makeId(at),
    queue: 'default',
    type: 'csv-import',
    payload: '{}',
    metadata: '{}',
    bytes: 4,
    priority: 5,
    tenant: '',
    client: 'bench',
    idempotencyKey: null,
    ttlMs: null,
    maxAttempts: 1,
    timeoutMs: 600_000,
    retry: null,
    input,
    traceparent: null,
    tracestate: null,
    runAt: null,
    fingerprint: null,
    keyHeldUntil: null,
  };
}
