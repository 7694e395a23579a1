// Queue settings: one table of names, types, bounds and defaults. Engines read them inside their atomic step;
// the server, the CLI and the docs take names and bounds from here. Validation is in core/settings-check.ts.

export interface RateLimit {
  /** Starts allowed per `perMs`. */
  readonly limit: number;
  readonly perMs: number;
  /** Starts that may come at once after silence, >= 1. */
  readonly burst: number;
}

export interface QueueSettings {
  /** Depth = queued + running at which a new submission is refused; 0 closes the intake. */
  readonly maxDepth: number;
  /** Payload + metadata bytes of all unfinished tasks; null: no bound. */
  readonly maxBytes: number | null;
  /** Scheduled + retrying at which new delayed work is refused. */
  readonly maxScheduled: number;
  /** Keeps the last floor(maxDepth x share) places for priority >= minPriority. */
  readonly reservedShare: { readonly minPriority: number; readonly share: number } | null;
  /** Depth of one tenant. */
  readonly tenantMaxDepth: number | null;
  /** Turns per round; a tenant not named has weight 1. */
  readonly tenantWeights: Readonly<Record<string, number>>;
  readonly maxRunning: number | null;
  readonly tenantMaxRunning: number | null;
  readonly rate: RateLimit | null;
  /** 0: strict priority. */
  readonly priorityAgingMs: number;
  readonly deadLetter: boolean;
  readonly deadLetterOnExpiry: boolean;
  readonly dlqMax: number;
  readonly dlqOverflow: 'drop_oldest';
  readonly dlqRetentionS: number;
  readonly leaseMs: number;
  readonly taskRetentionS: number;
  readonly resultRetentionS: number;
  readonly maxLeaseLosses: number;
  readonly unknownTypeMaxMs: number;
}

/** A merge patch: absent = unchanged, null = back to the default. */
export type SettingsPatch = { readonly [K in keyof QueueSettings]?: QueueSettings[K] | null };

export const DEFAULT_SETTINGS: QueueSettings = {
  maxDepth: 10_000,
  maxBytes: null,
  maxScheduled: 100_000,
  reservedShare: null,
  tenantMaxDepth: null,
  tenantWeights: {},
  maxRunning: null,
  tenantMaxRunning: null,
  rate: null,
  priorityAgingMs: 60_000,
  deadLetter: true,
  deadLetterOnExpiry: true,
  dlqMax: 10_000,
  dlqOverflow: 'drop_oldest',
  dlqRetentionS: 1_209_600,
  leaseMs: 30_000,
  taskRetentionS: 604_800,
  resultRetentionS: 3_600,
  maxLeaseLosses: 3,
  unknownTypeMaxMs: 3_600_000,
};

/** Overrides of one queue laid over the defaults. A null in a nullable field is a value, in a patch a removal. */
export function effectiveSettings(defaults: QueueSettings, overrides: Partial<QueueSettings>): QueueSettings {
  return { ...defaults, ...overrides };
}

/** Applies a merge patch to a queue's overrides. */
export function patchOverrides(
  overrides: Partial<QueueSettings>,
  patch: SettingsPatch,
): Partial<QueueSettings> {
  const next: Record<string, unknown> = { ...overrides };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete next[name];
    else next[name] = value;
  }
  return next as Partial<QueueSettings>;
}

/** The part of the settings that decides how a running task may end; it travels with each lease. */
export type SettlePolicy = Pick<
  QueueSettings,
  'deadLetter' | 'deadLetterOnExpiry' | 'maxLeaseLosses' | 'unknownTypeMaxMs'
>;

export function settlePolicy(settings: QueueSettings): SettlePolicy {
  const { deadLetter, deadLetterOnExpiry, maxLeaseLosses, unknownTypeMaxMs } = settings;
  return { deadLetter, deadLetterOnExpiry, maxLeaseLosses, unknownTypeMaxMs };
}
