// Steering a queue: pause, resume, purge. Each is audited.
import type { FastifyInstance } from 'fastify';
import { ApiProblem } from '../../core/codes.ts';
import { closedObject, nullable, optional, text } from '../../core/fields.ts';
import type { ConfigureChange, ConfigureResult } from '../../engine/records.ts';
import { audited } from '../audit.ts';
import { type AppParts, callOf } from '../context.ts';
import { bodyOf, checked, queueToRead, queueToWrite, refuseParameters } from '../input.ts';
import { notFound } from '../problems.ts';
import { pauseView } from '../wire/queue.ts';

const pauseBody = closedObject(
  { reason: optional(nullable(text(0, 500, 'Shown to whoever looks.'))) },
  'Hands out no more tasks.',
);

export function queueControlRoutes(api: FastifyInstance, parts: AppParts): void {
  const { engine } = parts;

  api.post('/queue/:queue/pause', async (request) => {
    const { reason = null } = checked(pauseBody, bodyOf(request));
    const queue = queueToWrite(request);
    const call = callOf(parts);
    const { paused } = await configured(parts, { queue, pause: { by: call.principal, reason } });
    await audited(parts, { action: 'queue.pause', queue, details: { reason } });
    return pauseView(queue, paused);
  });

  api.post('/queue/:queue/resume', async (request) => {
    refuseParameters(request);
    const queue = await existing(parts, queueToRead(request));
    const { paused } = await configured(parts, { queue, pause: null });
    await audited(parts, { action: 'queue.resume', queue });
    return pauseView(queue, paused);
  });

  api.post('/queue/:queue/purge', async (request) => {
    refuseParameters(request);
    const queue = await existing(parts, queueToRead(request));
    const { purged, epoch } = await engine.purge(queue, callOf(parts));
    await audited(parts, { action: 'queue.purge', queue, details: { purged, epoch } });
    return { purged, epoch };
  });
}

/** A queue never goes away again, so that asking first is enough. */
async function existing(parts: AppParts, queue: string): Promise<string> {
  const [load] = await parts.engine.load([queue], callOf(parts));
  if (!load) throw new ApiProblem(notFound('queue'));
  return queue;
}

/** A change of pause is refused only where it would create one queue too many. */
async function configured(
  parts: AppParts,
  change: ConfigureChange,
): Promise<Extract<ConfigureResult, { outcome: 'configured' }>> {
  const result = await parts.engine.configure(change, callOf(parts));
  if (result.outcome === 'configured') return result;
  throw new ApiProblem(await parts.broker.refusals.of(change.queue, { outcome: 'queue_limit' }));
}
