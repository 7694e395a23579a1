// Answers that are JSON text already.
import type { FastifyReply } from 'fastify';

export function sendJson(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(text);
}
