// A worker over the memory engine with time under the test's control, and handlers whose end the test decides.
import { afterEach } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import type { NewTask } from '../../src/engine/messages.ts';
import type { Engine } from '../../src/engine/port.ts';
import type { WorkSource } from '../../src/engine/slices.ts';
import { memoryEngine } from '../../src/engines/memory/index.ts';
import type { Handler, HandlerContext } from '../../src/worker/handler.ts';
import { Worker, type WorkerOptions } from '../../src/worker/worker.ts';
import { FakeEnv } from './fake-env.ts';
import { newTask } from './new-task.ts';

const PRINCIPAL = 'anonymous';
let stop: (() => Promise<unknown>) | null = null;

afterEach(async () => {
  await stop?.();
  stop = null;
});

/** `around` may stand between the worker and the engine. Drained after the test. */
export async function house(
  handlers: Record<string, Handler>,
  more: Partial<WorkerOptions> = {},
  around: (engine: Engine, env: FakeEnv) => Partial<WorkSource> = () => ({}),
) {
  const env = new FakeEnv();
  const engine = memoryEngine({ defaults: { ...DEFAULT_SETTINGS, leaseMs: 30_000 } });
  await engine.open();
  const worker = new Worker({
    source: {
      name: engine.name,
      reserve: (want, call) => engine.reserve(want, call),
      extend: (batch, call) => engine.extend(batch, call),
      settle: (batch, call) => engine.settle(batch, call),
      watch: (queues, wake) => engine.watch(queues, wake),
      workers: engine.workers,
      ...around(engine, env),
    },
    tasks: new Map(Object.entries(handlers)),
    env,
    workerId: 'w1',
    ...more,
  });
  stop = async () => {
    const drained = worker.drain(0);
    await env.advance(5_000);
    await drained;
  };
  return { env, engine, worker, ...helpers(env, engine) };
}

function helpers(env: FakeEnv, engine: Engine) {
  const call = () => ({ at: env.now(), principal: PRINCIPAL });
  return {
    async submit(given: Partial<NewTask> = {}) {
      const [result] = await engine.submit([newTask(env.now(), given)], call());
      if (result?.outcome !== 'created') throw new Error(`not created: ${result?.outcome}`);
      return result.id;
    },
    async task(id: string) {
      const [task] = await engine.get([id], call());
      if (!task) throw new Error('no such task');
      return task;
    },
    call,
  };
}

/** A handler whose end the test decides. */
export function gate() {
  const seen: HandlerContext[] = [];
  let open: (value?: unknown) => void = () => undefined;
  const handler: Handler = (_, ctx) => {
    seen.push(ctx);
    return new Promise((resolve) => {
      open = resolve;
    });
  };
  return { handler, seen, open: (value?: unknown) => open(value) };
}
