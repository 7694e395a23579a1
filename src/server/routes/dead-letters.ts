// Dead letters: looked at, queued again, or let go. What changes them is audited.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblem, type Problem } from '../../core/codes.ts';
import { closedObject, matching, oneOf, optional } from '../../core/fields.ts';
import { DEAD_LETTER_REASONS, type Task } from '../../core/task.ts';
import { QUEUE_NAME, TYPE_NAME } from '../../core/task-schema.ts';
import type { Page } from '../../engine/records.ts';
import { audited } from '../audit.ts';
import { type AppParts, callOf } from '../context.ts';
import { checked, pageOf, pageQuery, refuseParameters, taskIdOf } from '../input.ts';
import { notFound, sendProblem } from '../problems.ts';
import { sendJson } from '../send.ts';
import { pageJson } from '../wire/json.ts';
import { taskJson } from '../wire/task.ts';

const NAME = 'dead letter';

const listQuery = pageQuery(
  {
    queue: optional(matching(QUEUE_NAME, 'Only this queue.')),
    type: optional(matching(TYPE_NAME, 'Only this task type.')),
    reason: optional(oneOf(DEAD_LETTER_REASONS, 'Only those given up for this reason.')),
  },
  'A page of dead letters, newest first.',
);

const purgeBody = closedObject(
  { queue: matching(QUEUE_NAME, 'Whose dead letters.') },
  'Lets all dead letters of a queue go.',
);

/** Letters per call of the store, so that a long purge never holds it up. */
const PURGE_BATCH = 200;

export function deadLetterRoutes(api: FastifyInstance, parts: AppParts): void {
  const { engine } = parts;

  api.get('/dlq', async (request, reply) => {
    const { filters, limit, cursor } = pageOf(checked(listQuery, request.query));
    const page = await engine.listDead({ ...filters, limit, cursor }, callOf(parts));
    return sendJson(reply, 200, pageJson(page.items.map(taskJson), page.next));
  });

  api.get('/dlq/:id', async (request, reply) =>
    sendJson(reply, 200, taskJson(await letterOf(parts, request))),
  );

  api.post('/dlq/purge', (request) => purge(parts, request));

  api.post('/dlq/:id/redrive', (request, reply) => redrive(parts, request, reply));

  api.post('/dlq/:id/discard', async (request, reply) => {
    refuseParameters(request);
    const { id, queue, status } = await letterOf(parts, request);
    const [outcome] = await engine.discard([id], callOf(parts));
    if (outcome !== 'discarded') return sendProblem(reply, notFound(NAME));
    await audited(parts, { action: 'dlq.discard', queue, target: id });
    return { task_id: id, status, discarded: true };
  });
}

/** Those of this moment, newest first: letters that come meanwhile lie before the cursor and stay. */
async function purge(parts: AppParts, request: FastifyRequest) {
  const { queue } = checked(purgeBody, request.body);
  const [load] = await parts.engine.load([queue], callOf(parts));
  if (!load) throw new ApiProblem(notFound('queue'));
  let purged = 0;
  try {
    let cursor: string | null = null;
    do {
      const page: Page<Task> = await parts.engine.listDead(
        { queue, limit: PURGE_BATCH, cursor },
        callOf(parts),
      );
      const ids = page.items.map(({ id }) => id);
      const outcomes = await parts.engine.discard(ids, callOf(parts));
      purged += outcomes.filter((outcome) => outcome === 'discarded').length;
      cursor = page.next;
    } while (cursor !== null);
  } finally {
    // Also where the store failed half way: what was done was done.
    await audited(parts, { action: 'dlq.purge', queue, details: { purged } });
  }
  return { queue, purged };
}

async function redrive(parts: AppParts, request: FastifyRequest, reply: FastifyReply) {
  refuseParameters(request);
  const { id, queue } = await letterOf(parts, request);
  const saturated = await saturation(parts);
  if (saturated !== null) return sendProblem(reply, saturated);
  const [result] = await parts.engine.redrive({ ids: [id] }, callOf(parts));
  if (result === undefined || result.outcome === 'not_found') return sendProblem(reply, notFound(NAME));
  if (result.outcome !== 'redriven') {
    return sendProblem(reply, await parts.broker.refusals.of(queue, result));
  }
  const { generation } = result;
  await audited(parts, { action: 'dlq.redrive', queue, target: id, details: { generation } });
  return { task_id: id, status: 'queued', generation };
}

/** A redrive is admitted like a submission, so the bound over all queues holds for it too. */
async function saturation({ broker, config }: AppParts): Promise<Problem | null> {
  const pending = await broker.gauges.pending();
  return pending < config.maxPending ? null : broker.refusals.saturated(pending, config.maxPending);
}

async function letterOf(parts: AppParts, request: FastifyRequest): Promise<Task> {
  const [task] = await parts.engine.get([taskIdOf(request, NAME)], callOf(parts));
  if (!task?.inDlq) throw new ApiProblem(notFound(NAME));
  return task;
}
