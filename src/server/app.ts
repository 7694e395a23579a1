// The HTTP app: every route under one roof, with the same answers to what goes wrong anywhere.
import type { Socket } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import type { AppParts } from './context.ts';
import { readJsonBodies } from './json-body.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { refuseOtherOrigins } from './origin.ts';
import { errorHandler, notFound, rawProblem, sendProblem } from './problems.ts';
import { requestId } from './request-id.ts';
import { dropRestOfBodies } from './rest-of-body.ts';
import { auditRoutes } from './routes/audit.ts';
import { deadLetterRoutes } from './routes/dead-letters.ts';
import { errorPage } from './routes/error-page.ts';
import { processRoutes } from './routes/process.ts';
import { queueControlRoutes } from './routes/queue-control.ts';
import { queueRoutes } from './routes/queues.ts';
import { settingsRoutes } from './routes/settings.ts';
import { submitRoute } from './routes/submit.ts';
import { taskRoutes } from './routes/tasks.ts';
import { workerRoutes } from './routes/workers.ts';

const PREFIX = '/api/v1';
/** From the first byte to the last: an upload over a slow line fits, a client that trickles forever does not. */
const REQUEST_MS_MAX = 600_000;
/** Silence on a connection with a request under way. */
const SILENCE_MS_MAX = 120_000;
/** How often a closing server looks for connections that have fallen silent. */
const IDLE_LOOK_MS = 50;
/** Longer than any name that exists; what is longer is not found. */
const PARAM_LENGTH_MAX = 128;

/** Not listening yet. Closing it stops accepting, lets what is under way finish, and leaves broker and engine open. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const onError = errorHandler(parts);
  const app = fastify({
    bodyLimit: parts.config.maxBodyBytes,
    requestTimeout: REQUEST_MS_MAX,
    connectionTimeout: SILENCE_MS_MAX,
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
    genReqId: requestId,
    // Whatever reached the server before it closed is answered like any other request.
    return503OnClosing: false,
    frameworkErrors: onError,
    clientErrorHandler: (_error, socket) => endRaw(socket),
  });
  app.setErrorHandler(onError);
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, notFound('path')));
  readJsonBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
  });
  app.addHook('onRequest', refuseOtherOrigins);
  dropRestOfBodies(app, parts);
  logRequests(app, parts);
  endConnections(app, parts);
  const nameOtherMethods = refuseOtherMethods(app);
  addRoutes(app, parts);
  await app.after();
  nameOtherMethods();
  return app;
}

function addRoutes(app: FastifyInstance, parts: AppParts): void {
  processRoutes(app, parts);
  errorPage(app);
  void app.register(
    (api, _options, done) => {
      submitRoute(api, parts);
      taskRoutes(api, parts);
      queueRoutes(api, parts);
      queueControlRoutes(api, parts);
      settingsRoutes(api, parts);
      deadLetterRoutes(api, parts);
      workerRoutes(api, parts);
      auditRoutes(api, parts);
      done();
    },
    { prefix: PREFIX },
  );
}

/** At `debug`: under load a line per request would cost more than most requests. Defects are logged where they are met. */
function logRequests(app: FastifyInstance, { log }: AppParts): void {
  if (!log.isLevelEnabled('debug')) return;
  app.addHook('onResponse', async (request, reply) => {
    const { id, method, routeOptions } = request;
    log.debug(
      {
        request_id: id,
        method,
        route: routeOptions.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
  });
}

/**
 * A closing server waits for requests under way, but no longer than for running tasks. Connections that were busy when the
 * closing began are closed as they fall silent: kept alive, each would hold the server up for nothing.
 */
function endConnections(app: FastifyInstance, { config }: AppParts): void {
  const timers: NodeJS.Timeout[] = [];
  app.addHook('preClose', async () => {
    timers.push(
      setInterval(() => app.server.closeIdleConnections(), IDLE_LOOK_MS),
      setTimeout(() => app.server.closeAllConnections(), config.drainTimeoutMs),
    );
  });
  app.addHook('onClose', async () => {
    for (const timer of timers) clearTimeout(timer);
  });
}

function endRaw(socket: Socket): void {
  if (socket.writable) socket.end(rawProblem());
  else socket.destroy();
}
