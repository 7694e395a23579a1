// How bodies become values. JSON only, as UTF-8, and nothing is dropped or renamed on the way: `__proto__` and `constructor`
// are names like any other, own properties of what JSON.parse makes. They are data, never merged into another object.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiProblem, problem } from '../core/codes.ts';
import { invalidRequest } from './problems.ts';

const MEDIA_TYPES = ['application/json', 'application/merge-patch+json'];

export function readJsonBodies(app: FastifyInstance): void {
  // Fastify's own take text/plain too, which a form of any web page can send.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(MEDIA_TYPES, { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity') {
      done(new ApiProblem(problem('UNSUPPORTED_MEDIA_TYPE', 'compressed bodies are not taken')), undefined);
      return;
    }
    try {
      done(null, parseJson(body));
    } catch (error) {
      done(error as Error, undefined);
    }
  });
}

/** An empty body is none. Throws INVALID_REQUEST, which never quotes the text. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new ApiProblem(invalidRequest('the body', 'UTF-8', 'other'));
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiProblem(invalidRequest('the body', 'valid JSON', 'other'));
  }
}
