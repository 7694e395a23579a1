// The configuration of a Sluice process: one table for flags, environment, file and documentation.
// An option whose feature has not come is not here, so it is refused as unknown. Parsing is in options-parse.ts.
import * as kinds from './option-kinds.ts';
import { DEFAULT_SETTINGS, type QueueSettings } from './settings.ts';
import { LEASE_MS_MAX, LEASE_MS_MIN } from './settings-schema.ts';
import { snakeCase } from './text.ts';

const HOUR_MS = 3_600_000;
const GIB = 2 ** 30;

export interface Option<T> {
  readonly kind: kinds.OptionKind<T>;
  readonly default: T;
  readonly doc: string;
  /** Shown as default in the documentation where the value depends on others. */
  readonly defaultDoc?: string;
}

function option<T>(
  kind: kinds.OptionKind<T>,
  fallback: NoInfer<T>,
  doc: string,
  defaultDoc?: string,
): Option<T> {
  return { kind, default: fallback, doc, ...(defaultDoc === undefined ? {} : { defaultDoc }) };
}

/** Keys are the names in the typed configuration; the other spellings follow from them (`namesOf`). */
export const OPTIONS = {
  store: option(
    kinds.store,
    { engine: 'sqlite', path: './data/sluice.db' },
    'Where tasks are kept.',
    'sqlite:./data/sluice.db',
  ),
  files: option(
    kinds.nullable(kinds.path),
    null,
    'Folder for uploaded files.',
    'files beside the sqlite file; with another store none, and uploads answer 415',
  ),
  host: option(
    kinds.host,
    '127.0.0.1',
    'Address to listen on. Anything but loopback is refused without --allow-anonymous.',
  ),
  port: option(kinds.integer(0, 65_535), 7070, 'Port to listen on; 0 takes a free one.'),
  allowAnonymous: option(kinds.flag, false, 'Serve callers without a key beyond loopback too.'),
  maxQueueDepth: option(
    kinds.integer(0, 10_000_000),
    DEFAULT_SETTINGS.maxDepth,
    'Default of the setting max_depth.',
  ),
  maxPending: option(kinds.integer(0, 100_000_000), 100_000, 'Bound of the depths of all queues together.'),
  maxPayloadBytes: option(kinds.integer(1, 64 * 2 ** 20), 262_144, 'Bound of a payload in compact JSON.'),
  maxFileBytes: option(kinds.integer(1, 1024 * GIB), 10_485_760, 'Bound of an uploaded file.'),
  maxBodyBytes: option(
    kinds.integer(1024, GIB),
    8_388_608,
    'Bound of a JSON body; at least the payload bound.',
  ),
  workerConcurrency: option(kinds.integer(1, 1000), 4, 'Tasks that one worker runs at once.'),
  prefetch: option(kinds.integer(0, 32), 0, 'Leases that a worker holds beyond its free slots.'),
  leaseMs: option(
    kinds.integer(LEASE_MS_MIN, LEASE_MS_MAX),
    DEFAULT_SETTINGS.leaseMs,
    'Default of the setting lease_ms.',
  ),
  heartbeatMs: option(
    kinds.integer(10, LEASE_MS_MAX),
    10_000,
    'How often a worker extends its leases; below lease_ms.',
    'a third of lease_ms',
  ),
  reapIntervalMs: option(kinds.integer(10, HOUR_MS), 1_000, 'How often expired leases are looked for.'),
  maintenanceBatch: option(
    kinds.integer(1, 10_000),
    100,
    'Tasks per pass of promote, reap, expire and prune.',
  ),
  drainTimeoutMs: option(kinds.integer(0, HOUR_MS), 30_000, 'How long a stop waits for running tasks.'),
  retryAfterMinS: option(kinds.integer(1, 3_600), 1, 'Lower bound of a computed Retry-After.'),
  retryAfterMaxS: option(kinds.integer(1, 86_400), 300, 'Upper bound of a computed Retry-After.'),
  idempotencyTtlS: option(
    kinds.integer(1, 31_536_000),
    86_400,
    'How long an idempotency key is held at least.',
  ),
  durability: option(
    kinds.oneOf(['full', 'relaxed']),
    'full',
    'full: an accepted task survives a power cut. relaxed: the last moments may be lost.',
  ),
  logLevel: option(
    kinds.oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    'info',
    'The least serious lines that are written.',
  ),
  logFormat: option(
    kinds.nullable(kinds.oneOf(['pretty', 'json'])),
    null,
    'How log lines look.',
    'pretty on a terminal, else json',
  ),
} as const;

export type OptionKey = keyof typeof OPTIONS;
type ValueOf<O> = O extends Option<infer T> ? T : never;
export type Config = { readonly [K in OptionKey]: ValueOf<(typeof OPTIONS)[K]> };

export const OPTION_KEYS = Object.keys(OPTIONS) as readonly OptionKey[];

/** How an option is spelled in each source. */
export function namesOf(key: OptionKey): {
  readonly env: string;
  readonly flag: string;
  readonly file: string;
} {
  const file = snakeCase(key);
  return { env: `SLUICE_${file.toUpperCase()}`, flag: `--${file.replaceAll('_', '-')}`, file };
}

/** What queues have where nobody has set anything. */
export function defaultSettings(config: Pick<Config, 'maxQueueDepth' | 'leaseMs'>): QueueSettings {
  return { ...DEFAULT_SETTINGS, maxDepth: config.maxQueueDepth, leaseMs: config.leaseMs };
}
