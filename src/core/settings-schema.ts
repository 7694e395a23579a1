// The queue settings as the wire has them: name, bounds and one line of words each. Defaults are in settings.ts;
// the check, OpenAPI and docs/reference/settings.md come from this table.
import { type TSchema, Type } from 'typebox';
import {
  type Check,
  closedObject,
  decimal,
  type Field,
  field,
  flag,
  integer,
  isObject,
  nullable,
  oneOf,
  optional,
} from './fields.ts';
import { STARTS_PER_MS_MAX } from './rate.ts';
import type { QueueSettings } from './settings.ts';
import { TENANT_BYTES_MAX } from './task-schema.ts';
import { isStorable, utf8Bytes } from './text.ts';

const TASKS_MAX = 10_000_000;
const RUNNING_MAX = 1_000_000;
/** 1 PiB: beyond any store, far inside a double's integers. */
const BYTES_MAX = 2 ** 50;
const TEN_YEARS_S = 315_360_000;
const DAY_MS = 86_400_000;
const TENANT_WEIGHTS_MAX = 1000;
const TENANT_WEIGHT_MAX = 1000;
/** Shorter leases would be lost to ordinary pauses of a process. */
export const LEASE_MS_MIN = 100;
export const LEASE_MS_MAX = DAY_MS;

const rateFields = closedObject(
  {
    limit: integer(1, RUNNING_MAX, `Starts per per_ms, at most ${STARTS_PER_MS_MAX} x per_ms.`),
    per_ms: integer(1, DAY_MS, 'The length that limit counts over.'),
    burst: optional(
      integer(1, RUNNING_MAX, 'Starts that may come at once after silence. Default 1: evenly spaced.'),
    ),
  },
  'In any time t at most limit x t / per_ms + burst tasks start, over all workers.',
);

const rate = {
  ...rateFields,
  check: ((value, path, issues) => {
    const before = issues.length;
    rateFields.check(value, path, issues);
    if (issues.length > before) return;
    const { limit, per_ms: perMs } = value as { limit: number; per_ms: number };
    if (limit > STARTS_PER_MS_MAX * perMs) {
      issues.push({ path: `${path}.limit`, rule: `at most ${STARTS_PER_MS_MAX} x per_ms`, kind: 'number' });
    }
  }) satisfies Check,
};

const reservedShare = closedObject(
  {
    min_priority: integer(1, 9, 'The lowest priority that may use the reserved places.'),
    share: decimal(0, 1, 'Share of max_depth that is kept.'),
  },
  'Keeps the last floor(max_depth x share) places for priority >= min_priority.',
);

type Snake<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : '';

/** Names of the wire, in the order of the documentation. */
export const SETTINGS = {
  max_depth: integer(0, TASKS_MAX, 'Queued + running at which a new task is refused; 0 closes the intake.'),
  max_bytes: integer(0, BYTES_MAX, 'Payload + metadata bytes of all unfinished tasks.'),
  max_scheduled: integer(
    0,
    TASKS_MAX,
    'Delayed + retrying at which new delayed work is refused; retries never are.',
  ),
  reserved_share: reservedShare,
  tenant_max_depth: integer(1, TASKS_MAX, 'Queued + running of one tenant at which it is refused.'),
  tenant_weights: tenantWeights(),
  max_running: integer(1, RUNNING_MAX, 'Tasks that run at once, over all workers.'),
  tenant_max_running: integer(1, RUNNING_MAX, 'Tasks of one tenant that run at once, over all workers.'),
  rate,
  priority_aging_ms: integer(
    0,
    7 * DAY_MS,
    'Wait that makes up for one step of priority; 0 = strict priority.',
  ),
  dead_letter: flag('Whether tasks that are given up go to the dead letters; else they end failed.'),
  dead_letter_on_expiry: flag('Whether expired tasks go to the dead letters; else they end expired.'),
  dlq_max: integer(1, TASKS_MAX, 'Dead letters kept; beyond it the oldest leaves, counted and told.'),
  dlq_overflow: oneOf(['drop_oldest'], 'What happens when the dead letters are full.'),
  dlq_retention_s: integer(1, TEN_YEARS_S, 'How long a dead letter is kept.'),
  lease_ms: integer(
    LEASE_MS_MIN,
    LEASE_MS_MAX,
    'How long a worker may be silent before its task is taken back.',
  ),
  task_retention_s: integer(0, TEN_YEARS_S, 'How long the record of a finished task is kept.'),
  result_retention_s: integer(0, TEN_YEARS_S, 'How long its result is kept.'),
  max_lease_losses: integer(1, 1000, 'Lost leases that make a task poison: dead-lettered as lease_lost.'),
  unknown_type_max_ms: integer(
    0,
    30 * DAY_MS,
    'How long a type that no worker knows is put off before it is dead-lettered.',
  ),
} as const satisfies Record<Snake<keyof QueueSettings>, Field>;

const patchFields = Object.fromEntries(
  Object.entries<Field<TSchema>>(SETTINGS).map(([name, given]) => [name, optional(nullable(given))]),
);
export const settingsPatch = closedObject(
  patchFields,
  'A merge patch: what is left out stays, null goes back to the default.',
);

function tenantWeights() {
  const rule = `object of at most ${TENANT_WEIGHTS_MAX} tenants, each with an integer 1..${TENANT_WEIGHT_MAX}`;
  const schema = Type.Record(Type.String(), Type.Integer({ minimum: 1, maximum: TENANT_WEIGHT_MAX }), {
    maxProperties: TENANT_WEIGHTS_MAX,
    description: 'Turns per round of a tenant; one not named has 1.',
  });
  const shape = field(
    schema,
    rule,
    (value) => isObject(value) && Object.keys(value).length <= TENANT_WEIGHTS_MAX,
  );
  const weight = integer(1, TENANT_WEIGHT_MAX, '');
  const check: Check = (value, path, issues) => {
    const before = issues.length;
    shape.check(value, path, issues);
    if (issues.length > before) return;
    for (const [tenant, given] of Object.entries(value as object)) {
      const named = utf8Bytes(tenant) <= TENANT_BYTES_MAX && isStorable(tenant);
      // The names are a client's data, so the issue tells the rule and not the name.
      if (!named)
        issues.push({ path, rule: `tenant names of at most ${TENANT_BYTES_MAX} bytes`, kind: 'object' });
      else weight.check(given, path, issues);
      if (issues.length > before) return;
    }
  };
  return { ...shape, check };
}
