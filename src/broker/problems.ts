// Refusals with their numbers: from a store's answer or error to a problem with its Retry-After.
import { ApiProblem, type Problem, problem } from '../core/codes.ts';
import { retryAfterS } from '../core/retry-after.ts';
import { EngineError } from '../engine/errors.ts';
import type { FullResult, SubmitResult } from '../engine/messages.ts';
import type { QueueLoad } from '../engine/records.ts';
import type { BrokerLimits } from './env.ts';
import type { Gauges } from './gauges.ts';

/** The store is asked again after so long, s. */
const STORE_RETRY_S = 5;

/** What a limit counts: tasks that workers finish, their bytes, or tasks that wait for a time, which no worker speeds up. */
type Unit = 'tasks' | 'bytes' | 'waits';

const UNIT_OF: Readonly<Record<FullResult['limitName'], Unit>> = {
  max_depth: 'tasks',
  reserved_share: 'tasks',
  max_bytes: 'bytes',
  max_scheduled: 'waits',
};

type Refusal = FullResult | Extract<SubmitResult, { outcome: 'tenant_full' | 'queue_limit' | 'conflict' }>;

export class Refusals {
  readonly #gauges: Gauges;
  readonly #bounds: { readonly minS: number; readonly maxS: number };

  constructor(gauges: Gauges, limits: Pick<BrokerLimits, 'retryAfterMinS' | 'retryAfterMaxS'>) {
    this.#gauges = gauges;
    this.#bounds = { minS: limits.retryAfterMinS, maxS: limits.retryAfterMaxS };
  }

  /** What the store refused, in the API's words. */
  async of(queue: string, refusal: Refusal): Promise<Problem> {
    switch (refusal.outcome) {
      case 'conflict':
        return problem('IDEMPOTENCY_KEY_REUSED', 'the key was used for another task', {
          details: { task_id: refusal.id },
        });
      case 'queue_limit':
        return problem('QUEUE_LIMIT', 'there are 65536 queues already', {
          retryAfterS: this.#bounds.maxS,
        });
      case 'tenant_full': {
        const { depth, limit } = refusal;
        const message = `the tenant has ${depth} tasks in queue ${queue}, its limit is ${limit}`;
        return problem('TENANT_FULL', message, {
          details: { queue, depth, limit },
          retryAfterS: await this.#drainS(queue, refusal, 'tasks'),
        });
      }
      case 'full': {
        const { depth, limit, limitName } = refusal;
        return problem('QUEUE_FULL', `queue ${queue} is at its ${limitName} of ${limit}`, {
          details: { queue, depth, limit, limit_name: limitName },
          retryAfterS: await this.#drainS(queue, refusal, UNIT_OF[limitName]),
        });
      }
    }
  }

  saturated(pending: number, maxPending: number): Problem {
    const facts = { depth: pending, limit: maxPending, paused: false };
    return problem('SATURATED', `all queues together hold ${pending} tasks, the limit is ${maxPending}`, {
      details: { pending, max_pending: maxPending },
      retryAfterS: retryAfterS({ ...facts, completionPerS: this.#gauges.completionPerS() }, this.#bounds),
    });
  }

  async #drainS(
    queue: string,
    { depth, limit }: { readonly depth: number; readonly limit: number },
    unit: Unit,
  ): Promise<number> {
    const load = await this.#gauges.load(queue);
    const perS = load === null ? 0 : this.#gauges.completionPerS(load.number) * sizeIn(unit, load);
    const paused = load?.paused != null && unit !== 'waits';
    return retryAfterS({ depth, limit, completionPerS: perS, paused }, this.#bounds);
  }
}

/** What one completed task takes off a limit, on average. */
function sizeIn(unit: Unit, { bytes, queued, running, scheduled, retrying }: QueueLoad): number {
  switch (unit) {
    case 'tasks':
      return 1;
    case 'bytes':
      return bytes / Math.max(1, queued + running + scheduled + retrying);
    case 'waits':
      return 0;
  }
}

/** An error thrown below as the problem to answer; null: not one of ours, a defect. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof ApiProblem) return error.problem;
  if (!(error instanceof EngineError)) return null;
  switch (error.code) {
    case 'INVALID_CURSOR':
      return problem('INVALID_REQUEST', 'cursor: not one that this listing gave', {
        details: { issues: [{ path: 'cursor', rule: 'a cursor that this listing gave', kind: 'string' }] },
      });
    case 'STORE_FULL':
      return problem('SATURATED', 'the store has no room', { retryAfterS: STORE_RETRY_S });
    case 'STORE_UNAVAILABLE':
    case 'CLOSED':
      return problem('STORE_UNAVAILABLE', 'the store does not answer', {
        details: { outcome: error.outcome },
        retryAfterS: STORE_RETRY_S,
      });
    default:
      return null;
  }
}
