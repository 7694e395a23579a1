// Short ways to work on an engine, for tests and for the process that they kill.
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import type { Lease, Settlement } from '../../src/engine/messages.ts';
import type { Engine } from '../../src/engine/port.ts';

export const AT = 1_767_225_600_000;
export const CALL = { at: AT, principal: 'anonymous' };
export const SETTINGS = { ...DEFAULT_SETTINGS, maxDepth: 1_000_000 };

let requests = 0;

export async function reserve(engine: Engine, max: number, at = AT): Promise<readonly Lease[]> {
  requests += 1;
  const queues = [{ name: 'default', weight: 1 }];
  const want = {
    workerId: 'w1',
    requestId: `r${requests}`,
    nonce: `n${requests}`,
    queues,
    max,
    leaseMs: null,
  };
  return (await engine.reserve(want, { ...CALL, at })).leases;
}

export function succeeded({ task, token }: Lease): Settlement {
  const settled = {
    decision: { to: 'succeeded', result: null },
    outcome: 'succeeded',
    retryDelayMs: null,
  } as const;
  return { id: task.id, token, workerId: 'w1', startedAt: AT, settled };
}
