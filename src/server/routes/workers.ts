// The workers that told of themselves.
import type { FastifyInstance } from 'fastify';
import { type AppParts, callOf } from '../context.ts';
import { notFound, sendProblem } from '../problems.ts';
import { workerView } from '../wire/worker.ts';

export function workerRoutes(api: FastifyInstance, parts: AppParts): void {
  api.get('/workers', async () => {
    const call = callOf(parts);
    const workers = await parts.engine.workers.list(call);
    return { items: workers.map((worker) => workerView(worker, call.at)) };
  });

  api.get<{ Params: { id: string } }>('/workers/:id', async (request, reply) => {
    const call = callOf(parts);
    const workers = await parts.engine.workers.list(call);
    const found = workers.find(({ workerId }) => workerId === request.params.id);
    return found === undefined ? sendProblem(reply, notFound('worker')) : workerView(found, call.at);
  });
}
