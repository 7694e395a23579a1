// The way in: one task as JSON, or as a form with the file that goes with it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SubmitReply } from '../../broker/replies.ts';
import { ApiProblem } from '../../core/codes.ts';
import { parseIdempotencyHeader } from '../../core/idempotency-key.ts';
import { type AppParts, callOf } from '../context.ts';
import { invalidRequest, sendProblem } from '../problems.ts';
import { submitForm, takeForms } from '../submit-form.ts';

/** From this share of a limit on, an accepted task's answer tells how full the queue is. */
const PRESSURE_TOLD = 0.8;

export function submitRoute(api: FastifyInstance, parts: AppParts): void {
  const { broker } = parts;
  const { uploads } = broker;
  // In a scope of its own, so that no other route takes forms or pays for them.
  void api.register((scope, _options, done) => {
    if (uploads !== null) takeForms(scope);
    scope.post('/tasks', async (request, reply) => {
      const headerKey = headerKeyOf(request);
      const ask = { principal: callOf(parts).principal, headerKey, upload: null };
      if (uploads !== null && request.isMultipart()) {
        return answer(reply, await submitForm(request, ask, { broker, uploads, config: parts.config }));
      }
      return answer(reply, await broker.submit(request.body, ask));
    });
    done();
  });
}

function answer(reply: FastifyReply, told: SubmitReply) {
  if (told.kind === 'refused') return sendProblem(reply, told.problem);
  const { taskId: task_id, status, queue } = told;
  reply.header('location', `/api/v1/tasks/${task_id}`);
  // What no server predicts yet is unknown, and unknown is null.
  const unknown = { predicted_wait_ms: null };
  if (told.kind === 'duplicate') {
    return { task_id, status, queue, position: null, ...unknown, duplicate: true };
  }
  const { position, depth, limit } = told;
  const pressure = limit === 0 ? 1 : Math.min(1, depth / limit);
  if (pressure >= PRESSURE_TOLD) reply.header('sluice-queue-pressure', pressure.toFixed(2));
  reply.code(202);
  return { task_id, status, queue, position, ...unknown };
}

function headerKeyOf({ raw }: FastifyRequest): string | null {
  if (raw.headers['idempotency-key'] === undefined) return null;
  const [first, ...others] = raw.headersDistinct['idempotency-key'] ?? [];
  const parsed = parseIdempotencyHeader(others.length === 0 ? first : [first ?? '', ...others]);
  if (parsed.ok) return parsed.key;
  throw new ApiProblem(invalidRequest('Idempotency-Key', parsed.rule, 'string'));
}
