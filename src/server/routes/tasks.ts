// Tasks once they are in: looked at, listed, cancelled.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiProblem, problem } from '../../core/codes.ts';
import { matching, oneOf, optional, text } from '../../core/fields.ts';
import { isFinal, TASK_STATUSES, type Task } from '../../core/task.ts';
import { QUEUE_NAME, TENANT_BYTES_MAX, TYPE_NAME } from '../../core/task-schema.ts';
import { type AppParts, callOf } from '../context.ts';
import { checked, pageOf, pageQuery, refuseParameters, taskIdOf } from '../input.ts';
import { notFound, sendProblem } from '../problems.ts';
import { sendJson } from '../send.ts';
import { jsonWith, pageJson } from '../wire/json.ts';
import { taskJson } from '../wire/task.ts';

const listQuery = pageQuery(
  {
    queue: optional(matching(QUEUE_NAME, 'Only this queue.')),
    status: optional(oneOf(TASK_STATUSES, 'Only this status.')),
    type: optional(matching(TYPE_NAME, 'Only this task type.')),
    tenant: optional(text(0, TENANT_BYTES_MAX, 'Only this tenant; empty: those without one.')),
  },
  'A page of tasks, newest first.',
);

export function taskRoutes(api: FastifyInstance, parts: AppParts): void {
  const { engine } = parts;

  api.get('/tasks', async (request, reply) => {
    const { filters, limit, cursor } = pageOf(checked(listQuery, request.query));
    const page = await engine.list({ ...filters, limit, cursor }, callOf(parts));
    return sendJson(reply, 200, pageJson(page.items.map(taskJson), page.next));
  });

  api.get('/tasks/:id', async (request, reply) =>
    sendJson(reply, 200, taskJson(await taskOf(parts, request))),
  );

  api.get('/tasks/:id/result', async (request, reply) => {
    const { id, status, result } = await taskOf(parts, request);
    if (!isFinal(status)) {
      const details = { status };
      return sendProblem(reply, problem('TASK_NOT_FINISHED', `the task is ${status}`, { details }));
    }
    return sendJson(reply, 200, jsonWith({ task_id: id, status }, { result: result ?? 'null' }));
  });

  // As bytes to save, whatever the sender called them: no browser is to run what somebody uploaded.
  api.get('/tasks/:id/input', async (request, reply) => {
    const { input } = await taskOf(parts, request);
    const file = input && (await parts.broker.uploads?.read(input.path));
    if (!input || !file) return sendProblem(reply, notFound('file'));
    reply.header('content-disposition', 'attachment');
    reply.header('content-length', input.bytes);
    return reply.type('application/octet-stream').send(file);
  });

  api.post('/tasks/:id/cancel', async (request, reply) => {
    refuseParameters(request);
    const id = taskIdOf(request);
    const [outcome] = await engine.cancel([id], callOf(parts));
    switch (outcome) {
      case 'cancelled':
        return { task_id: id, status: 'cancelled' };
      case 'requested':
        reply.code(202);
        return { task_id: id, status: 'running', cancel_requested: true };
      case 'finished': {
        const { status } = await taskOf(parts, request);
        const details = { status };
        return sendProblem(reply, problem('TASK_FINISHED', `the task ended ${status}`, { details }));
      }
      default:
        return sendProblem(reply, notFound('task'));
    }
  });
}

async function taskOf(parts: AppParts, request: FastifyRequest): Promise<Task> {
  const [task] = await parts.engine.get([taskIdOf(request)], callOf(parts));
  if (!task) throw new ApiProblem(notFound('task'));
  return task;
}
