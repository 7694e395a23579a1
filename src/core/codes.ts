// Every way the API can refuse, in one closed table: the server answers from it, the CLI and the SDK read it,
// docs/reference/errors.md is generated from it. A code never changes its status or its meaning.

interface CodeEntry {
  readonly status: number;
  /** Short and fixed; what happened this time goes into the message. */
  readonly title: string;
  readonly when: string;
}

export const PROBLEM_CODES = {
  INVALID_TASK: {
    status: 400,
    title: 'The task is not valid',
    when: 'A field of a submitted task is unknown, missing, of the wrong kind or out of bounds; `details.issues` names path, rule and kind of the value.',
  },
  INVALID_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    when: 'Malformed JSON, or a query parameter, header, cursor, setting or body field that breaks its rule; `details.issues` names them.',
  },
  UNAUTHORIZED: {
    status: 401,
    title: 'No valid API key',
    when: 'The key is missing, unknown, expired or revoked.',
  },
  FORBIDDEN: {
    status: 403,
    title: 'Not allowed',
    when: 'The key lacks the scope, or its queue patterns do not match; or a web page of another origin asked for a change.',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    when: "No such route, task, queue, dead letter or worker, or it lies outside the caller's scope.",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    when: 'The path exists, but not with this method.',
  },
  TASK_FINISHED: {
    status: 409,
    title: 'The task has finished',
    when: 'A cancel came after the final status.',
  },
  TASK_NOT_FINISHED: {
    status: 409,
    title: 'The task has not finished',
    when: 'Its result was asked for before the final status.',
  },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    title: 'The idempotency key is in use',
    when: "Another request's upload or a caller's own transaction holds the key at this moment.",
  },
  SETTINGS_CHANGED: {
    status: 412,
    title: 'The settings have changed',
    when: "`If-Match` names an older version than the queue's; `details.version` has the present one.",
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'The payload is too large',
    when: 'The compact UTF-8 encoding of `payload` is over the limit; `details: {bytes, limit}`. Told before any check of depth.',
  },
  METADATA_TOO_LARGE: {
    status: 413,
    title: 'The metadata is too large',
    when: 'The compact UTF-8 encoding of `metadata` is over 4096 bytes; `details: {bytes, limit}`.',
  },
  FILE_TOO_LARGE: {
    status: 413,
    title: 'The file is too large',
    when: 'The uploaded file passed the limit while it was streaming; `details: {bytes, limit}`.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    title: 'The request body is too large',
    when: 'The body is over the limit, decompressed size included; `details: {bytes, limit}`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    when: 'The body is neither JSON nor, where files are configured, multipart/form-data.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    title: 'The idempotency key belongs to another task',
    when: 'Same key, other type, payload or options (or another file); `details.task_id` names the first task.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too many requests from this client',
    when: "The client's quota is spent; `Retry-After` says when the next task fits.",
  },
  QUEUE_FULL: {
    status: 429,
    title: 'The queue is full',
    when: 'A count bound of the queue is reached; `details: {queue, depth, limit, limit_name}`, the name one of max_depth, max_bytes, max_scheduled, reserved_share.',
  },
  TENANT_FULL: {
    status: 429,
    title: "The tenant's share of the queue is full",
    when: 'One tenant has `tenant_max_depth` tasks queued and running; `details: {queue, depth, limit}`.',
  },
  QUEUE_LIMIT: {
    status: 429,
    title: 'Too many queues',
    when: 'The task or setting would create a 65,536th queue.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    when: 'A defect of the server; the log has it under the request id.',
  },
  WAIT_EXCEEDED: {
    status: 503,
    title: 'The predicted wait is too long',
    when: "The predicted wait is over the queue's bound, the caller's, or what is left of the time to live; `details: {predicted_wait_ms, max_wait_ms, whose}`.",
  },
  SATURATED: {
    status: 503,
    title: 'The system is saturated',
    when: 'The bound over all queues is reached, the store is short of room, or the process itself is behind.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    title: 'The store is unavailable',
    when: '`details.outcome` is `none` (nothing was done) or `unknown` (it may have been: repeat with the same idempotency key).',
  },
} as const satisfies Record<string, CodeEntry>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One refusal as data: what a batch item carries and what a whole answer is made of. */
export interface Problem {
  readonly code: ProblemCode;
  /** For people, one sentence; never holds payloads, secrets or file contents. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** Whole seconds >= 1 for the Retry-After header; null: none. */
  readonly retryAfterS: number | null;
}

export function problem(
  code: ProblemCode,
  message: string,
  more: { readonly details?: Readonly<Record<string, unknown>>; readonly retryAfterS?: number | null } = {},
): Problem {
  return { code, message, details: more.details ?? {}, retryAfterS: more.retryAfterS ?? null };
}

/** A problem thrown through layers that only pass it on. Where refusals are frequent, return the data instead. */
export class ApiProblem extends Error {
  readonly problem: Problem;

  constructor(refused: Problem) {
    super(refused.message);
    this.name = 'ApiProblem';
    this.problem = refused;
  }
}

/** RFC 9457 `type` of a code: a stable reference to its entry in the error page that every server serves. */
export function problemType(code: ProblemCode): string {
  return `/docs/errors#${code}`;
}
