// From a step to the call that it means now: the same call for the model and for the engine under test.
import type { Outcome } from '../../core/decision.ts';
import { decide } from '../../core/lifecycle.ts';
import type { Call, Lease, NewTask, ReserveRequest, SubmitResult } from '../../engine/messages.ts';
import type { Engine } from '../../engine/port.ts';
import { boom, type Lab, pages, pruneAll } from '../lab.ts';
import type { Step, SubmitItem, Way } from './steps.ts';

/** What the model has answered so far; steps pick from it. */
export interface Known {
  readonly ids: string[];
  readonly leases: Lease[];
  readonly requests: ReserveRequest[];
}

export interface Deed {
  /** The call; what it answers must be the same from both, apart from hints. */
  readonly ask: (engine: Engine) => Promise<unknown>;
  /** Takes the model's answer in. */
  readonly learn?: (answer: unknown) => void;
}

type Of<K extends Step['do']> = Extract<Step, { do: K }>;

/** null: nothing to do it with yet. `lab` makes ids and names; both engines get what it made. */
export function deedOf(step: Exclude<Step, { do: 'restart' }>, known: Known, lab: Lab): Deed | null {
  const { call } = lab;
  switch (step.do) {
    case 'submit':
      return submit(step, known, lab);
    case 'replay': {
      const query = { queue: step.queue, client: 'anonymous', key: step.key, fingerprint: print(step.print) };
      return { ask: (engine) => engine.replay([query], call) };
    }
    case 'reserve':
      return reserve(step, known, lab);
    case 'extend':
      return extend(step, known, call);
    case 'settle':
      return settle(step, known, call);
    case 'promote':
      return { ask: (engine) => engine.promote(step.limit, call) };
    case 'expire':
      return { ask: (engine) => engine.expire(step.limit, call) };
    case 'prune':
      // How much one pass does is the store's own affair; what is gone in the end is not.
      return { ask: async (engine) => (await pruneAll(engine, step.limit, call)).sort() };
    case 'reap':
      return reap(step, known, lab);
    case 'cancel':
      return { ask: (engine) => engine.cancel(pickIds(known, step.tasks), call) };
    case 'redrive':
      return { ask: (engine) => engine.redrive({ ids: pickIds(known, step.tasks) }, call) };
    case 'discard':
      return { ask: (engine) => engine.discard(pickIds(known, step.tasks), call) };
    case 'purge':
      return { ask: (engine) => engine.purge(step.queue, call) };
    case 'pause': {
      const pause = { by: 'model', reason: null };
      return { ask: (engine) => engine.configure({ queue: step.queue, pause }, call) };
    }
    case 'resume':
      return { ask: (engine) => engine.configure({ queue: step.queue, pause: null }, call) };
    case 'configure':
      return { ask: (engine) => engine.configure({ queue: step.queue, patch: step.patch }, call) };
    case 'list':
      return { ask: (engine) => list(engine, step, call) };
    case 'list dead':
      return { ask: (engine) => listDead(engine, step, call) };
  }
}

function submit({ items }: Of<'submit'>, known: Known, lab: Lab): Deed {
  const batch = items.map((item) => lab.task(specOf(item, lab.at)));
  return {
    ask: (engine) => engine.submit(batch, lab.call),
    learn: (answer) => {
      for (const result of answer as readonly SubmitResult[]) {
        if (result.outcome === 'created') known.ids.push(result.id);
      }
    },
  };
}

function specOf(item: SubmitItem, at: number): Partial<NewTask> {
  const { queue, priority, tenant, key, ttlMs, maxAttempts, delayMs } = item;
  return {
    queue,
    priority,
    tenant,
    ttlMs,
    maxAttempts,
    payload: JSON.stringify('x'.repeat(item.size)),
    runAt: delayMs === null ? null : at + delayMs,
    idempotencyKey: key,
    fingerprint: key === null ? null : print(item.print),
    keyHeldUntil: key === null ? null : at + item.keyHeldMs,
    input:
      item.size % 5 === 0
        ? { name: 'f', contentType: 't', bytes: item.size, sha256: print(0), path: `f/${item.size}` }
        : null,
  };
}

const print = (n: number) => String(n).repeat(64);

function reserve({ queues, max, leaseMs, repeat }: Of<'reserve'>, known: Known, lab: Lab): Deed {
  const old = repeat === null ? undefined : known.requests.at(-1 - repeat);
  const request = { ...lab.request({ queues, max, leaseMs }), ...(old && { requestId: old.requestId }) };
  if (!old) known.requests.push(request);
  return {
    ask: async (engine) => (await engine.reserve(request, lab.call)).leases,
    learn: (answer) => known.leases.push(...(answer as readonly Lease[])),
  };
}

function pickLease(known: Known, { lease, forged }: { lease: number; forged: boolean }): Lease | null {
  const found = known.leases.at(-1 - (lease % Math.max(1, known.leases.length)));
  if (!found) return null;
  return forged ? { ...found, token: `${found.token}-forged` } : found;
}

function extend({ items }: Of<'extend'>, known: Known, call: Call): Deed | null {
  const batch = items.flatMap((item) => {
    const lease = pickLease(known, item);
    if (!lease) return [];
    const extension = { id: lease.task.id, token: lease.token, leaseMs: 100 };
    return item.percent === null
      ? [extension]
      : [{ ...extension, progress: { percent: item.percent, message: 'm' } }];
  });
  return batch.length === 0 ? null : { ask: (engine) => engine.extend(batch, call) };
}

function settle({ items }: Of<'settle'>, known: Known, call: Call): Deed | null {
  const batch = items.flatMap((item) => {
    const lease = pickLease(known, item);
    return lease ? [settlementOf(lease, outcomeOf(item.way), call)] : [];
  });
  return batch.length === 0 ? null : { ask: (engine) => engine.settle(batch, call) };
}

function settlementOf({ task, token, policy }: Lease, outcome: Outcome, { at }: Call) {
  const settled = decide({ task, policy, at, random: 0.5 }, outcome);
  return { id: task.id, token, workerId: 'w1', startedAt: at, settled };
}

function outcomeOf(way: Way): Outcome {
  switch (way) {
    case 'succeed':
      return { kind: 'succeed', result: '"done"' };
    case 'fail':
      return { kind: 'fail', error: boom };
    case 'fail soon':
      return { kind: 'fail', error: boom, retryDelayMs: 10 };
    case 'fail for good':
      return { kind: 'fail', error: { ...boom, retryable: false } };
    case 'defer':
      return { kind: 'defer', delayMs: 50 };
    default:
      return { kind: way };
  }
}

function reap({ max, settle: settles }: Of<'reap'>, known: Known, lab: Lab): Deed {
  const { call } = lab;
  const want = { reaperId: 'reaper', max, leaseMs: 50, nonce: lab.unique('reap') };
  return {
    ask: async (engine) => {
      const { leases, nextAt } = await engine.reap(want, call);
      const batch = settles ? leases.map((lease) => settlementOf(lease, { kind: 'lease_lost' }, call)) : [];
      return { leases, nextAt, settled: await engine.settle(batch, call) };
    },
    learn: (answer) => known.leases.push(...(answer as { readonly leases: readonly Lease[] }).leases),
  };
}

async function list(engine: Engine, { status, queue, limit }: Of<'list'>, call: Call): Promise<string[]> {
  const filter = status === null ? { queue } : { status };
  const tasks = await pages((cursor) => engine.list({ ...filter, limit, cursor }, call));
  return tasks.map(({ id }) => id);
}

async function listDead(engine: Engine, { queue, limit }: Of<'list dead'>, call: Call): Promise<string[]> {
  const filter = queue === null ? {} : { queue };
  const tasks = await pages((cursor) => engine.listDead({ ...filter, limit, cursor }, call));
  return tasks.map(({ id }) => id);
}

function pickIds({ ids }: Known, tasks: readonly number[]): string[] {
  return tasks.flatMap((n) => ids.at(-1 - (n % Math.max(1, ids.length))) ?? []);
}
