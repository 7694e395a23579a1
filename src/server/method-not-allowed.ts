// A path that exists answers 405 with the methods it has, not 404.
import type { FastifyInstance } from 'fastify';
import { ApiProblem, problem } from '../core/codes.ts';

/** Call before the routes are added, and the answer after the last of them. */
export function refuseOtherMethods(app: FastifyInstance): () => void {
  const methodsOf = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsOf.get(url) ?? new Set();
    methodsOf.set(url, known);
    for (const name of [method].flat()) known.add(name);
  });
  return () => {
    for (const [url, known] of [...methodsOf]) {
      const allow = [...known].sort();
      app.route({
        url,
        method: app.supportedMethods.filter((name) => !known.has(name)),
        // Before a body is read, whatever it holds.
        onRequest: async (request, reply) => {
          reply.header('allow', allow.join(', '));
          const message = `${request.method} is not one of ${allow.join(', ')}`;
          throw new ApiProblem(problem('METHOD_NOT_ALLOWED', message, { details: { allow } }));
        },
        handler: async () => undefined,
      });
    }
  };
}
