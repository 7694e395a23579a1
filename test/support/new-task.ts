// New tasks for tests that talk to an engine directly.
import { randomFillSync } from 'node:crypto';
import { idMaker } from '../../src/core/id.ts';
import type { NewTask } from '../../src/engine/messages.ts';

const makeId = idMaker((into) => randomFillSync(into));

export function newTask(at: number, given: Partial<NewTask> = {}): NewTask {
  return {
    id: makeId(at),
    queue: 'default',
    type: 'work',
    payload: '{}',
    metadata: '{}',
    bytes: 4,
    priority: 5,
    tenant: '',
    client: 'anonymous',
    idempotencyKey: null,
    ttlMs: null,
    maxAttempts: 5,
    timeoutMs: 30_000,
    retry: null,
    input: null,
    traceparent: null,
    tracestate: null,
    runAt: null,
    fingerprint: null,
    keyHeldUntil: null,
    ...given,
  };
}
