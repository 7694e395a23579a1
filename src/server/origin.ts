// Web pages of other origins may not change anything here: a server on loopback has no keys, and every page that a
// browser opens could otherwise post to it. Browsers send Origin with every such request; other clients send none.
import type { FastifyRequest } from 'fastify';
import { ApiProblem, problem } from '../core/codes.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

export async function refuseOtherOrigins(request: FastifyRequest): Promise<void> {
  const { origin, host } = request.headers;
  if (origin === undefined || SAFE_METHODS.has(request.method)) return;
  if (URL.canParse(origin) && new URL(origin).host === host) return;
  throw new ApiProblem(problem('FORBIDDEN', 'a web page of another origin sent this request'));
}
