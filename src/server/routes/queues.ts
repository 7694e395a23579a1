// What queues hold: all of them in pages, and one of them in full.
import type { FastifyInstance } from 'fastify';
import { type AppParts, callOf } from '../context.ts';
import { checked, pageOf, pageQuery, queueToRead } from '../input.ts';
import { notFound, sendProblem } from '../problems.ts';
import { queueSummary, queueView } from '../wire/queue.ts';

const listQuery = pageQuery({}, 'A page of queues, by name.');

export function queueRoutes(api: FastifyInstance, parts: AppParts): void {
  const { engine, broker, config } = parts;

  api.get('/queue', async (request) => {
    const { limit, cursor } = pageOf(checked(listQuery, request.query));
    const call = callOf(parts);
    const [pending, names] = await Promise.all([
      broker.gauges.pending(),
      engine.queues({ limit, cursor }, call),
    ]);
    const loads = await engine.load(names.items, call);
    const saturated = pending >= config.maxPending;
    return {
      pending,
      max_pending: config.maxPending,
      saturated,
      retry_after_s: saturated ? broker.refusals.saturated(pending, config.maxPending).retryAfterS : null,
      queues: loads.flatMap((load) => (load === null ? [] : [queueSummary(load, call.at)])),
      next_cursor: names.next,
    };
  });

  api.get('/queue/:queue', async (request, reply) => {
    const call = callOf(parts);
    const [[load], workers] = await Promise.all([
      engine.load([queueToRead(request)], call),
      engine.workers.list(call),
    ]);
    if (!load) return sendProblem(reply, notFound('queue'));
    const completionPerS = broker.gauges.completionPerS(load.number);
    return queueView(load, { workers, completionPerS }, call.at);
  });
}
