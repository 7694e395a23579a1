// A queue's settings: read with an ETag, changed by merge patch, guarded by If-Match where the caller asks for it.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiProblem, type Problem, problem } from '../../core/codes.ts';
import type { QueueSettings } from '../../core/settings.ts';
import { parseSettingsPatch, settingsToWire } from '../../core/settings-check.ts';
import { audited } from '../audit.ts';
import { type AppParts, callOf } from '../context.ts';
import { bodyOf, queueToRead, queueToWrite } from '../input.ts';
import { notFound, sendProblem } from '../problems.ts';

export function settingsRoutes(api: FastifyInstance, parts: AppParts): void {
  const { engine, broker } = parts;

  api.get('/queue/:queue/settings', async (request, reply) => {
    const [load] = await engine.load([queueToRead(request)], callOf(parts));
    if (!load) return sendProblem(reply, notFound('queue'));
    return settingsReply(reply, load.settings, load.settingsVersion);
  });

  api.patch('/queue/:queue/settings', async (request, reply) => {
    const queue = queueToWrite(request);
    const parsed = parseSettingsPatch(bodyOf(request));
    if (!parsed.ok) return sendProblem(reply, parsed.problem);
    const guard = await guardOf(parts, queue, request.headers['if-match']);
    const result = await engine.configure({ queue, patch: parsed.patch, ...guard }, callOf(parts));
    switch (result.outcome) {
      case 'changed':
        return sendProblem(reply, settingsChanged(result.version));
      case 'queue_limit':
        return sendProblem(reply, await broker.refusals.of(queue, result));
      case 'configured': {
        const { settings, version } = result;
        const details = { version, patch: bodyOf(request) };
        await audited(parts, { action: 'queue.settings', queue, details });
        return settingsReply(reply, settings, version);
      }
    }
  });
}

function settingsReply(reply: FastifyReply, settings: QueueSettings, version: number) {
  reply.header('etag', `"${version}"`);
  return settingsToWire(settings);
}

/** The version that an If-Match asks for; the store compares it in the step that makes the change. */
async function guardOf(
  parts: AppParts,
  queue: string,
  ifMatch: string | undefined,
): Promise<{ ifVersion?: number }> {
  if (ifMatch === undefined) return {};
  const [load] = await parts.engine.load([queue], callOf(parts));
  const version = load?.settingsVersion ?? 0;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  // A weak tag never matches (RFC 9110, 13.1.1), and `*` matches what exists.
  if (tags.includes('*') && load) return {};
  if (tags.includes(`"${version}"`)) return { ifVersion: version };
  throw new ApiProblem(settingsChanged(version));
}

function settingsChanged(version: number): Problem {
  return problem('SETTINGS_CHANGED', `the settings are at version ${version} now`, { details: { version } });
}
