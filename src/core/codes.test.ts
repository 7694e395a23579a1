import { describe, expect, it } from 'vitest';
import { ApiProblem, PROBLEM_CODES, problem, problemType } from './codes.ts';

describe('the table of codes', () => {
  it('has the codes and statuses of the contract', () => {
    const statuses = Object.fromEntries(
      Object.entries(PROBLEM_CODES).map(([code, { status }]) => [code, status]),
    );
    expect(statuses).toEqual({
      INVALID_TASK: 400,
      INVALID_REQUEST: 400,
      UNAUTHORIZED: 401,
      FORBIDDEN: 403,
      NOT_FOUND: 404,
      METHOD_NOT_ALLOWED: 405,
      TASK_FINISHED: 409,
      TASK_NOT_FINISHED: 409,
      IDEMPOTENCY_IN_PROGRESS: 409,
      SETTINGS_CHANGED: 412,
      PAYLOAD_TOO_LARGE: 413,
      METADATA_TOO_LARGE: 413,
      FILE_TOO_LARGE: 413,
      BODY_TOO_LARGE: 413,
      UNSUPPORTED_MEDIA_TYPE: 415,
      IDEMPOTENCY_KEY_REUSED: 422,
      RATE_LIMITED: 429,
      QUEUE_FULL: 429,
      TENANT_FULL: 429,
      QUEUE_LIMIT: 429,
      INTERNAL_ERROR: 500,
      WAIT_EXCEEDED: 503,
      SATURATED: 503,
      STORE_UNAVAILABLE: 503,
    });
  });

  it('has a place in the documentation for each', () => {
    expect(problemType('QUEUE_FULL')).toBe('/docs/errors#QUEUE_FULL');
  });
});

describe('problem', () => {
  it('fills in what is not said', () => {
    expect(problem('NOT_FOUND', 'no such task')).toEqual({
      code: 'NOT_FOUND',
      message: 'no such task',
      details: {},
      retryAfterS: null,
    });
  });

  it('can be thrown', () => {
    const refused = problem('QUEUE_FULL', 'full', { details: { depth: 3 }, retryAfterS: 5 });
    const thrown = new ApiProblem(refused);
    expect(thrown).toBeInstanceOf(Error);
    expect(thrown).toMatchObject({ name: 'ApiProblem', message: 'full', problem: refused });
  });
});
