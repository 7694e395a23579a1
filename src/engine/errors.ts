// The one error an engine may throw: about the whole call, never about an item.

const ENGINE_ERROR_CODES = [
  /** The store did not answer or refused; try again later. */
  'STORE_UNAVAILABLE',
  /** No room: disk, memory, or the file's cap. Settle and purge may still work. */
  'STORE_FULL',
  'CLOSED',
  /** The caller broke the port's contract (bounds, types): a defect, not a user's error. */
  'INVALID_CALL',
  'INVALID_CURSOR',
  /** The store was written by a newer version. */
  'SCHEMA_NEWER',
  /** Another process owns the store. */
  'SECOND_OWNER',
  'CORRUPT',
] as const;
export type EngineErrorCode = (typeof ENGINE_ERROR_CODES)[number];

export class EngineError extends Error {
  readonly code: EngineErrorCode;
  /** `none`: nothing was done. `unknown`: it may or may not have been. */
  readonly outcome: 'none' | 'unknown';
  readonly retryable: boolean;

  constructor(
    code: EngineErrorCode,
    message: string,
    about: { outcome?: 'none' | 'unknown'; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = 'EngineError';
    this.code = code;
    this.outcome = about.outcome ?? 'none';
    this.retryable = about.retryable ?? (code === 'STORE_UNAVAILABLE' || code === 'STORE_FULL');
  }
}
