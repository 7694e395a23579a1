// What the engine's owner may choose. Everything has a default but the file.
import { DEFAULT_SETTINGS, type QueueSettings } from '../../core/settings.ts';

/** `off` saves the time it takes to read the whole file at open; damage then shows when it is met. */
export type IntegrityCheck = 'quick' | 'off';

export interface SqliteOptions {
  /** Path of the database file (its folder is made, 0700, where it is missing), or `:memory:`. */
  readonly file: string;
  /** What a queue has that nobody configured. Default: DEFAULT_SETTINGS. */
  readonly defaults?: QueueSettings;
  /**
   * `full` (default): what was answered survives a power cut (synchronous=FULL).
   * `relaxed`: it survives a crash of the process; a power cut may take the last moments (synchronous=NORMAL).
   */
  readonly durability?: 'full' | 'relaxed';
  /** Default `quick`. */
  readonly integrityCheck?: IntegrityCheck;
  /** Largest size of the database file, bytes; then submits are refused with STORE_FULL. Default: none. */
  readonly maxBytes?: number;
  /** Audit entries kept by prune, the newest. Default 10,000. */
  readonly auditMax?: number;
  /** How long a lock held by another program is waited for before STORE_UNAVAILABLE, ms. Default 2,000. */
  readonly busyTimeoutMs?: number;
}

/** The options with their defaults: plain data, handed to the thread. */
export type SqliteConfig = Required<Omit<SqliteOptions, 'maxBytes'>> & { readonly maxBytes: number | null };

export function withDefaults(options: SqliteOptions): SqliteConfig {
  return {
    file: options.file,
    defaults: options.defaults ?? DEFAULT_SETTINGS,
    durability: options.durability ?? 'full',
    integrityCheck: options.integrityCheck ?? 'quick',
    maxBytes: options.maxBytes ?? null,
    auditMax: options.auditMax ?? 10_000,
    busyTimeoutMs: options.busyTimeoutMs ?? 2_000,
  };
}
