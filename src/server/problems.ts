// Every refusal leaves the server here, as an RFC 9457 problem document, whatever threw or said it.
import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from '../broker/problems.ts';
import { PROBLEM_CODES, type Problem, problem, problemType } from '../core/codes.ts';
import type { AppParts } from './context.ts';

const MEDIA_TYPE = 'application/problem+json';

export function sendProblem(reply: FastifyReply, told: Problem): FastifyReply {
  if (told.retryAfterS !== null) reply.header('retry-after', told.retryAfterS);
  return (
    reply
      .code(PROBLEM_CODES[told.code].status)
      // Also where the framework refuses before any hook has run.
      .header('x-request-id', reply.request.id)
      .type(MEDIA_TYPE)
      .send(problemJson(told, reply.request.id))
  );
}

export function notFound(what: string): Problem {
  return problem('NOT_FOUND', `no such ${what}`);
}

export function invalidRequest(path: string, rule: string, kind: string): Problem {
  return problem('INVALID_REQUEST', `${path}: ${rule}`, { details: { issues: [{ path, rule, kind }] } });
}

/** The app's error handler: what was thrown on purpose, what the framework refused, and defects. */
export function errorHandler({ log, config }: Pick<AppParts, 'log' | 'config'>) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const told = problemOf(error) ?? frameworkProblem(error, request, config.maxBodyBytes);
    if (told !== null) return sendProblem(reply, told);
    log.error({ request_id: request.id, method: request.method, err: error }, 'a request met a defect');
    return sendProblem(reply, problem('INTERNAL_ERROR', 'the server failed; its log has the request id'));
  };
}

/** Fastify's own refusals. Their messages may quote the request, so they are put into our words. */
function frameworkProblem(error: FastifyError, request: FastifyRequest, limit: number): Problem | null {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const announced = Number(request.headers['content-length'] ?? Number.NaN);
      const bytes = Number.isSafeInteger(announced) ? announced : limit + 1;
      return problem('BODY_TOO_LARGE', `the body is over ${limit} bytes`, { details: { bytes, limit } });
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return problem('UNSUPPORTED_MEDIA_TYPE', 'the body has a media type that this path does not take');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest('Content-Length', 'the length of the body', 'string');
    case 'FST_ERR_BAD_URL':
      return invalidRequest('path', 'valid percent-encoding', 'string');
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return notFound('resource');
    default: {
      const status = error.statusCode ?? 500;
      if (status < 400 || status >= 500) return null;
      return problem('INVALID_REQUEST', `the request cannot be read (${STATUS_CODES[status] ?? status})`);
    }
  }
}

/** What is answered on a connection whose bytes are no HTTP request; nothing is known of it. */
export function rawProblem(): string {
  const body = problemJson(problem('INVALID_REQUEST', 'the bytes are no HTTP request'), null);
  const head = [
    `HTTP/1.1 400 ${STATUS_CODES[400]}`,
    `content-type: ${MEDIA_TYPE}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function problemJson(told: Problem, requestId: string | null): string {
  const { status, title } = PROBLEM_CODES[told.code];
  return JSON.stringify({
    type: problemType(told.code),
    title,
    status,
    detail: told.message,
    code: told.code,
    message: told.message,
    request_id: requestId,
    details: told.details,
  });
}
