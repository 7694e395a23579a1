// The fields of a submitted task, their bounds and their words: what the check runs and what OpenAPI shows.
// A field whose feature has not come is not here, so it is refused as unknown.
import { type Static, Type } from 'typebox';
import {
  closedObject,
  decimal,
  field,
  integer,
  isObject,
  kindOf,
  matching,
  optional,
  text,
} from './fields.ts';
import { brokenJsonRule, NESTING_MAX } from './json.ts';

export const QUEUE_NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/;
export const TYPE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
export const METADATA_BYTES_MAX = 4096;
export const TENANT_BYTES_MAX = 128;
export const KEY_BYTES_MAX = 255;
const MAX_ATTEMPTS_MAX = 100;
const TIMEOUT_MS_MAX = 86_400_000;
/** Ten calendar years, whichever leap days they hold. */
export const DELAY_MS_MAX = 3_653 * 86_400_000;
/** Twice the longest delay, so that a time to live always fits behind it. */
export const TTL_MS_MAX = 2 * DELAY_MS_MAX;
/** 30 days: a retry later than that is a new task. */
const RETRY_MS_MAX = 30 * 86_400_000;

/** What the server sets and a client may not. */
const READ_ONLY = [
  'id',
  'task_id',
  'status',
  'attempt',
  'attempts',
  'deliveries',
  'generation',
  'created_at',
  'available_at',
  'started_at',
  'finished_at',
  'expires_at',
  'progress',
  'result',
  'last_error',
  'cancel_reason',
  'dead_letter',
  'input',
];

const retryFields = closedObject(
  {
    base_ms: optional(integer(0, RETRY_MS_MAX, 'Delay before the second attempt. Default 1000.')),
    multiplier: optional(decimal(1, 100, 'Growth of the delay per attempt. Default 2.')),
    max_ms: optional(
      integer(0, RETRY_MS_MAX, 'Upper bound of a delay before jitter. Default 60000, or base_ms if larger.'),
    ),
    jitter: optional(decimal(0, 1, 'Share of the delay that is added or taken at random. Default 0.2.')),
  },
  'How long to wait before the next attempt: min(max_ms, base_ms x multiplier^(attempt-1)) +- jitter.',
);

const payload = field(
  Type.Unknown({
    description: `Any JSON value, nesting at most ${NESTING_MAX}; its compact UTF-8 encoding is bounded by SLUICE_MAX_PAYLOAD_BYTES. Default {}.`,
  }),
  `JSON value, nesting at most ${NESTING_MAX}`,
  () => true,
);

const metadata = field(
  Type.Record(Type.String(), Type.Unknown(), {
    description: `Object of at most ${METADATA_BYTES_MAX} bytes in compact JSON. Default {}.`,
  }),
  'object',
  isObject,
);

const lenient = (description: string) =>
  field(Type.Unknown({ description }), 'W3C Trace Context; an invalid one is ignored', () => true);

export const taskFields = closedObject(
  {
    queue: optional(matching(QUEUE_NAME, 'Default `default`.')),
    type: matching(TYPE_NAME, "The handler's name."),
    payload: optional(jsonField(payload)),
    metadata: optional(jsonField(metadata)),
    priority: optional(integer(0, 9, '9 runs first. Default 5.')),
    tenant: optional(text(0, TENANT_BYTES_MAX, 'Fairness key: tenants take turns. Default empty.')),
    idempotency_key: optional(
      text(
        1,
        KEY_BYTES_MAX,
        'Makes a repeated submit answer the first task; the header Idempotency-Key wins.',
      ),
    ),
    delay_ms: optional(integer(0, DELAY_MS_MAX, 'Not before this much later. Not together with run_at.')),
    run_at: optional(
      field(
        Type.String({
          format: 'date-time',
          description: 'Not before this time; past = now. Not with delay_ms.',
        }),
        'RFC 3339 time with a zone',
        (value) => typeof value === 'string',
      ),
    ),
    ttl_ms: optional(integer(1, TTL_MS_MAX, 'No start at or after created_at + ttl_ms. Above the delay.')),
    max_attempts: optional(integer(1, MAX_ATTEMPTS_MAX, 'Default 5.')),
    timeout_ms: optional(integer(1, TIMEOUT_MS_MAX, 'Per attempt. Default 30000.')),
    retry: optional(retryFields),
    traceparent: optional(lenient('W3C; an invalid one is ignored.')),
    tracestate: optional(lenient('W3C; an invalid one is ignored.')),
  },
  'A task to submit.',
  READ_ONLY,
);

/** A submitted task as it came, once the check has passed. */
export type TaskWire = Static<typeof taskFields.schema>;

/** Adds the rules that go through the whole value: nesting and numbers. Names only the field, nothing inside it. */
function jsonField<F extends typeof payload | typeof metadata>(given: F): F {
  return {
    ...given,
    check: (value, path, issues) => {
      const before = issues.length;
      given.check(value, path, issues);
      if (issues.length > before) return;
      const rule = brokenJsonRule(value);
      if (rule !== null) issues.push({ path, rule, kind: kindOf(value) });
    },
  };
}
