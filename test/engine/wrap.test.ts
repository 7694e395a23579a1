// The wrappers around the port: what they let through, refuse, tell and break.
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../src/engine/errors.ts';
import type { NewTask, ReserveRequest } from '../../src/engine/messages.ts';
import type { Engine } from '../../src/engine/port.ts';
import { BATCH_MAX, withChecks } from '../../src/engine/wrap-checks.ts';
import { withFaults } from '../../src/engine/wrap-faults.ts';
import { withMetrics } from '../../src/engine/wrap-metrics.ts';
import { memoryEngine } from '../../src/engines/memory/index.ts';

const call = { at: 1_000, principal: 'anonymous' };

const task = (over: Partial<NewTask> = {}): NewTask => ({
  id: '0190a000-0000-7000-8000-000000000000',
  queue: 'q',
  type: 't',
  payload: '{}',
  metadata: '{}',
  bytes: 4,
  priority: 5,
  tenant: '',
  client: 'anonymous',
  idempotencyKey: null,
  ttlMs: null,
  maxAttempts: 1,
  timeoutMs: 1,
  retry: null,
  input: null,
  traceparent: null,
  tracestate: null,
  runAt: null,
  fingerprint: null,
  keyHeldUntil: null,
  ...over,
});

const request = (over: Partial<ReserveRequest> = {}): ReserveRequest => ({
  workerId: 'w',
  requestId: 'r',
  nonce: 'n',
  queues: [{ name: 'q', weight: 1 }],
  max: 1,
  leaseMs: null,
  ...over,
});

async function opened(): Promise<Engine> {
  const engine = memoryEngine();
  await engine.open();
  return engine;
}

describe('checks', () => {
  const page = { cursor: null };
  const reap = { reaperId: 'r', nonce: 'n', leaseMs: 1, max: 1 };
  const refused: Record<string, (engine: Engine) => Promise<unknown>> = {
    'a fractional time': (engine) => engine.load(['q'], { ...call, at: 1.5 }),
    'no time': (engine) => engine.submit([], { ...call, at: Number.NaN }),
    'no principal': (engine) => engine.get([], { ...call, principal: '' }),
    'too large a batch': (engine) =>
      engine.get(
        Array.from({ length: BATCH_MAX + 1 }, () => 'x'),
        call,
      ),
    'an id with a home': (engine) => engine.submit([task({ id: `${task().id.slice(0, -1)}1` })], call),
    'an id of another kind': (engine) => engine.submit([task({ id: 'x000000' })], call),
    'priority 10': (engine) => engine.submit([task({ priority: 10 })], call),
    'priority 1.5': (engine) => engine.submit([task({ priority: 1.5 })], call),
    'negative bytes': (engine) => engine.submit([task({ bytes: -1 })], call),
    'run_at 1e309': (engine) => engine.submit([task({ runAt: Number.POSITIVE_INFINITY })], call),
    'ttl 0': (engine) => engine.submit([task({ ttlMs: 0 })], call),
    'a key without fingerprint': (engine) => engine.submit([task({ idempotencyKey: 'k' })], call),
    'max 0': (engine) => engine.reserve(request({ max: 0 }), call),
    'max 101': (engine) => engine.reserve(request({ max: 101 }), call),
    'no queue': (engine) => engine.reserve(request({ queues: [] }), call),
    'a queue twice': (engine) =>
      engine.reserve(
        request({
          queues: [
            { name: 'q', weight: 1 },
            { name: 'q', weight: 2 },
          ],
        }),
        call,
      ),
    'weight 0': (engine) => engine.reserve(request({ queues: [{ name: 'q', weight: 0 }] }), call),
    'an empty request id': (engine) => engine.reserve(request({ requestId: '' }), call),
    'a lease of no time': (engine) => engine.reserve(request({ leaseMs: 0 }), call),
    'an extension into the past': (engine) => engine.extend([{ id: 'x', token: 't', leaseMs: -1 }], call),
    'a retry at no time': (engine) =>
      engine.settle(
        [
          {
            id: 'x',
            token: 't',
            workerId: 'w',
            startedAt: 1,
            settled: {
              decision: { to: 'scheduled', availableAt: Number.NaN, unknownSince: null },
              outcome: 'deferred',
              retryDelayMs: null,
            },
          },
        ],
        call,
      ),
    'a pass without limit': (engine) => engine.promote(0, call),
    'a pass of everything': (engine) => engine.prune(Number.POSITIVE_INFINITY, call),
    'a reap of none': (engine) => engine.reap({ ...reap, max: 0 }, call),
    'a page of 201': (engine) => engine.list({ ...page, limit: 201 }, call),
    'a page of none': (engine) => engine.audit.list({ ...page, limit: 0 }, call),
  };

  for (const [what, ask] of Object.entries(refused)) {
    it(`refuses ${what}, and the engine never hears of it`, async () => {
      const heard: string[] = [];
      const engine = withChecks(
        withFaults(await opened(), {
          before: (operation) => {
            heard.push(operation);
          },
        }),
      );
      await expect(ask(engine)).rejects.toMatchObject({
        code: 'INVALID_CALL',
        outcome: 'none',
        retryable: false,
      });
      expect(heard).toEqual([]);
    });
  }
});

describe('metrics', () => {
  it('tells the begin and the end of each operation with its items and result', async () => {
    const told: string[] = [];
    const engine = withMetrics(memoryEngine(), (operation, items) => {
      told.push(`${operation} ${items}`);
      return (result) => told.push(`${operation} ${result}`);
    });
    await engine.open();
    await engine.submit([task(), task({ id: '0190a000-0000-7001-8000-000000000000' })], call);
    await expect(engine.list({ limit: 1, cursor: 'x' }, call)).rejects.toThrow(EngineError);
    await engine.audit.append([], call);
    await engine.close();
    await expect(engine.now()).rejects.toThrow(EngineError);
    expect(told).toEqual([
      'open 1',
      'open ok',
      'submit 2',
      'submit ok',
      'list 1',
      'list INVALID_CURSOR',
      'audit.append 0',
      'audit.append ok',
      'close 1',
      'close ok',
      'now 1',
      'now CLOSED',
    ]);
  });

  it('names what an engine must not throw', async () => {
    const told: string[] = [];
    const broken = withFaults(await opened(), {
      after: () => {
        throw new TypeError('a slip');
      },
    });
    const engine = withMetrics(broken, () => (result) => told.push(result));
    await expect(engine.now()).rejects.toThrow(TypeError);
    expect(told).toEqual(['DEFECT']);
  });
});

describe('faults', () => {
  it('lose a call before it is made, or the answer after it was', async () => {
    const inner = await opened();
    const lost = new EngineError('STORE_UNAVAILABLE', 'cut', { outcome: 'unknown' });
    const failing = (point: 'before' | 'after') =>
      withFaults(inner, {
        [point]: (operation: string) => {
          if (operation === 'submit') throw lost;
        },
      });
    await expect(failing('before').submit([task()], call)).rejects.toBe(lost);
    expect(await inner.load(['q'], call)).toEqual([null]);
    await expect(failing('after').submit([task()], call)).rejects.toBe(lost);
    expect(await inner.load(['q'], call)).toMatchObject([{ queued: 1 }]);
  });
});
