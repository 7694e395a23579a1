// Loops over the public port, as a server and its workers drive it.
import type { Lease, Settlement } from '../src/engine/messages.ts';
import type { Engine } from '../src/engine/port.ts';
import { call, now, QUEUE, type TaskMaker } from './tasks.ts';

let requests = 0;

export async function fill(engine: Engine, maker: TaskMaker, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    await engine.submit(maker.batch(Math.min(1000, count - done)), call());
  }
}

export async function reserve(engine: Engine, max: number): Promise<readonly Lease[]> {
  requests += 1;
  const want = {
    workerId: 'worker-1',
    requestId: `request-${requests}`,
    nonce: '0123456789abcdef',
    queues: [{ name: QUEUE, weight: 1 }],
    max,
    leaseMs: null,
  };
  return (await engine.reserve(want, call())).leases;
}

export function succeeded({ task, token }: Lease): Settlement {
  return {
    id: task.id,
    token,
    workerId: 'worker-1',
    startedAt: now(),
    settled: { decision: { to: 'succeeded', result: null }, outcome: 'succeeded', retryDelayMs: null },
  };
}

/** Reserves and settles `count` tasks in batches of `size`, `loops` batches at a time. */
export async function reserveAndSettle(
  engine: Engine,
  { count, size, loops }: { readonly count: number; readonly size: number; readonly loops: number },
): Promise<void> {
  let left = count;
  const loop = async () => {
    while (left > 0) {
      const max = Math.min(size, left);
      left -= max;
      const leases = await reserve(engine, max);
      if (leases.length < max) throw new Error(`reserved ${leases.length} of ${max}`);
      await engine.settle(leases.map(succeeded), call());
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
}
