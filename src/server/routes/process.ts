// Whether this process lives, and whether it can do its work.
import type { FastifyInstance } from 'fastify';
import { problemOf } from '../../broker/problems.ts';
import { ApiProblem, problem } from '../../core/codes.ts';
import { type AppParts, callOf } from '../context.ts';
import { sendProblem } from '../problems.ts';

const READY_MS_MAX = 2_000;
const RETRY_S = 5;

export function processRoutes(app: FastifyInstance, parts: AppParts): void {
  app.get('/health', async () => ({ status: 'ok', version: parts.version }));

  app.get('/ready', async (_request, reply) => {
    try {
      await withDeadline(touchStore(parts), READY_MS_MAX);
      return { status: 'ready', store: parts.engine.name };
    } catch (error) {
      const told = problemOf(error);
      const reason = told?.message ?? `the store did not answer within ${READY_MS_MAX} ms`;
      const details = { store: parts.engine.name, reason };
      return sendProblem(reply, problem('STORE_UNAVAILABLE', reason, { details, retryAfterS: RETRY_S }));
    }
  });
}

/** A small write may still pass where submissions fail, on an almost full disk say: their fate counts too. */
async function touchStore(parts: AppParts): Promise<void> {
  await parts.engine.probe(callOf(parts));
  if (!parts.broker.storeFailing) return;
  throw new ApiProblem(problem('STORE_UNAVAILABLE', 'the store takes no submissions'));
}

async function withDeadline(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('too late')), ms);
  });
  await Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
