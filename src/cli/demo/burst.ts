// Scene two: more callers at once than a small queue holds. It says no and when to come back, and the callers obey.
import { Refusal } from '../api.ts';
import { pause, type Stage, submit, until } from './stage.ts';

export interface BurstStory {
  /** Tasks that came before the burst, so that the server knows its pace. */
  readonly before: number;
  readonly callers: number;
  readonly limit: number;
  /** Taken in at the first try. */
  readonly atOnce: number;
  readonly refusals: number;
  /** Seconds that refusals told, least and most; null where nobody was refused. */
  readonly told: { readonly min: number; readonly max: number } | null;
  /** Tries of the most patient caller. */
  readonly triesMax: number;
  readonly seconds: number;
}

const QUEUE = 'burst';
const TASK_MS = 100;
const CALM_ROUNDS = 3;

export async function burstScene(
  stage: Stage,
  about: { readonly callers: number; readonly limit: number },
): Promise<BurstStory> {
  const { callers, limit } = about;
  const { api, ledger, terminal } = stage;
  await api.request('PATCH', `/queue/${QUEUE}/settings`, { json: { max_depth: limit } });
  const before = await calmHours(stage, limit);
  const started = performance.now();
  let inside = 0;
  const say = () => terminal.status(`burst: ${inside} of ${callers} callers are in`);
  const visits = await Promise.all(
    Array.from({ length: callers }, async (_, i) => {
      const visit = await call(stage, {
        queue: QUEUE,
        type: 'sleep',
        payload: { ms: TASK_MS },
        idempotency_key: `caller-${i}`,
      });
      inside += 1;
      say();
      return visit;
    }),
  );
  await Promise.all(visits.map(({ receipt }) => until(stage, receipt, (task) => task.finished_at !== null)));
  const told = ledger.refusals.filter((note) => note.queue === QUEUE).map((note) => note.retryAfterS ?? 0);
  return {
    before,
    callers,
    limit,
    atOnce: visits.filter((visit) => visit.tries === 1).length,
    refusals: told.length,
    told: told.length === 0 ? null : { min: Math.min(...told), max: Math.max(...told) },
    triesMax: Math.max(...visits.map((visit) => visit.tries)),
    seconds: (performance.now() - started) / 1000,
  };
}

/** Rounds that the queue can bear. Without completions to count, it could only guess when to come back. */
async function calmHours(stage: Stage, limit: number): Promise<number> {
  for (let round = 0; round < CALM_ROUNDS; round += 1) {
    const receipts = await Promise.all(
      Array.from({ length: limit }, () => submit(stage, { queue: QUEUE, type: 'noop' })),
    );
    await Promise.all(receipts.map((receipt) => until(stage, receipt, (task) => task.finished_at !== null)));
  }
  return CALM_ROUNDS * limit;
}

/** Comes back exactly when it is told to, until it is let in. */
async function call(stage: Stage, task: Parameters<typeof submit>[1]) {
  for (let tries = 1; ; tries += 1) {
    try {
      return { receipt: await submit(stage, task), tries };
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.code !== 'QUEUE_FULL' || thrown.retryAfterS === null)
        throw thrown;
      await pause(stage, thrown.retryAfterS * 1000);
    }
  }
}
