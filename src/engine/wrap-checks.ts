// Bounds of the port, checked once for all engines: a call that breaks the contract is refused whole with INVALID_CALL.
// Users' errors are caught far above; what is caught here is a defect of a caller. Payloads are not looked into.
import { isTaskId } from '../core/id.ts';
import { PRIORITIES } from '../core/task.ts';
import { EngineError } from './errors.ts';
import type { Call, Extend, NewTask, ReplayQuery, ReserveRequest, Settlement } from './messages.ts';
import type { Engine } from './port.ts';
import type { AuditEntry, TaskEvent } from './records.ts';
import { type Operation, wrapEngine } from './wrap.ts';

/** Items of one batch call. */
export const BATCH_MAX = 1_000;
/** Leases of one reserve or reap. */
export const LEASES_MAX = 100;
/** Items of one page. */
export const PAGE_MAX = 200;
/** Items of one maintenance pass. */
const PASS_MAX = 10_000;

export function withChecks(engine: Engine): Engine {
  return wrapEngine(engine, async (operation, args, run) => {
    // The wrapper hands over the arguments that the port's types let through.
    (CHECKS[operation] as ((...args: readonly unknown[]) => void) | undefined)?.(...args);
    return run();
  });
}

type Check = (...args: readonly never[]) => void;

const CHECKS: { readonly [K in Operation]?: Check } = {
  probe: (call: Call) => checkCall(call),
  submit: (batch: readonly NewTask[], call: Call) => {
    checkBatch('submit', batch, call);
    batch.forEach(checkTask);
  },
  replay: (batch: readonly ReplayQuery[], call: Call) => checkBatch('replay', batch, call),
  reserve: checkReserve,
  extend: (batch: readonly Extend[], call: Call) => {
    checkBatch('extend', batch, call);
    for (const { leaseMs } of batch) integer('leaseMs', leaseMs, 1);
  },
  settle: (batch: readonly Settlement[], call: Call) => {
    checkBatch('settle', batch, call);
    for (const { settled, startedAt } of batch) {
      integer('startedAt', startedAt);
      if ('availableAt' in settled.decision) integer('availableAt', settled.decision.availableAt);
    }
  },
  promote: checkPass,
  reap: (want: { readonly max: number; readonly leaseMs: number }, call: Call) => {
    checkCall(call);
    integer('max', want.max, 1, LEASES_MAX);
    integer('leaseMs', want.leaseMs, 1);
  },
  expire: checkPass,
  prune: checkPass,
  cancel: (ids: readonly string[], call: Call) => checkBatch('cancel', ids, call),
  redrive: ({ ids }: { readonly ids: readonly string[] }, call: Call) => checkBatch('redrive', ids, call),
  discard: (ids: readonly string[], call: Call) => checkBatch('discard', ids, call),
  purge: (_queue: string, call: Call) => checkCall(call),
  configure: (_change: unknown, call: Call) => checkCall(call),
  get: (ids: readonly string[], call: Call) => checkBatch('get', ids, call),
  list: checkPage,
  listDead: checkPage,
  load: (queues: readonly string[], call: Call) => checkBatch('load', queues, call),
  queues: checkPage,
  'workers.beat': (_beat: unknown, call: Call) => checkCall(call),
  'workers.list': (call: Call) => checkCall(call),
  'audit.append': (entries: readonly AuditEntry[], call: Call) => checkBatch('audit.append', entries, call),
  'audit.list': checkPage,
  publish: (events: readonly TaskEvent[], call: Call) => checkBatch('publish', events, call),
};

function checkCall(call: Call): void {
  integer('at', call.at);
  if (call.principal === '') throw invalid('principal must be named');
}

function checkBatch(name: string, batch: readonly unknown[], call: Call): void {
  checkCall(call);
  if (batch.length > BATCH_MAX)
    throw invalid(`${name} takes at most ${BATCH_MAX} items, not ${batch.length}`);
}

function checkPass(limit: number, call: Call): void {
  checkCall(call);
  integer('limit', limit, 1, PASS_MAX);
}

function checkPage(query: { readonly limit: number }, call: Call): void {
  checkCall(call);
  integer('limit', query.limit, 1, PAGE_MAX);
}

function checkReserve({ max, leaseMs, queues, requestId, nonce }: ReserveRequest, call: Call): void {
  checkCall(call);
  integer('max', max, 1, LEASES_MAX);
  if (leaseMs !== null) integer('leaseMs', leaseMs, 1);
  if (queues.length === 0) throw invalid('reserve needs a queue');
  if (new Set(queues.map(({ name }) => name)).size < queues.length) throw invalid('a queue is listed twice');
  for (const { weight } of queues) integer('weight', weight, 1);
  if (requestId === '' || nonce === '') throw invalid('requestId and nonce must not be empty');
}

function checkTask(task: NewTask): void {
  if (!isTaskId(task.id) || !task.id.endsWith('000000'))
    throw invalid(`${task.id} is not an id without home`);
  integer('priority', task.priority, 0, PRIORITIES - 1);
  integer('bytes', task.bytes, 0);
  integer('maxAttempts', task.maxAttempts, 1);
  if (task.runAt !== null) integer('runAt', task.runAt);
  if (task.ttlMs !== null) integer('ttlMs', task.ttlMs, 1);
  const { idempotencyKey, fingerprint, keyHeldUntil } = task;
  if (idempotencyKey !== null && (fingerprint === null || keyHeldUntil === null)) {
    throw invalid('an idempotency key needs a fingerprint and its time');
  }
}

function integer(name: string, value: number, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw invalid(`${name} must be an integer in ${min}..${max}, not ${value}`);
}

function invalid(message: string): EngineError {
  return new EngineError('INVALID_CALL', message);
}
