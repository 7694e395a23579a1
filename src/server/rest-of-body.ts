// What still comes of a body when its request is answered: taken and dropped, so that a client that was refused early reads
// its answer instead of a broken connection; a client that goes on beyond anything we would take is cut off.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { AppParts } from './context.ts';

export function dropRestOfBodies(app: FastifyInstance, { config }: Pick<AppParts, 'config'>): void {
  const bytesMax = config.maxBodyBytes + config.maxFileBytes;
  app.addHook('onSend', async ({ raw }, reply) => {
    // Fastify's own refusals of bodies close the connection, and a close with bytes unread takes the answer with it.
    reply.removeHeader('connection');
    if (!raw.complete && !raw.destroyed) drop(raw, bytesMax);
  });
}

function drop(raw: IncomingMessage, bytesMax: number): void {
  let left = bytesMax;
  raw.unpipe();
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) raw.destroy();
  });
  raw.resume();
}
