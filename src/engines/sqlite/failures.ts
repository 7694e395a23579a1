// What SQLite's errors mean to a caller. Only the whole call can fail: items fail as data.
import { EngineError, type EngineErrorCode } from '../../engine/errors.ts';

/** An EngineError as it crosses the thread's border. */
export interface Failure {
  readonly code: EngineErrorCode;
  readonly message: string;
  readonly outcome: 'none' | 'unknown';
  readonly retryable: boolean;
}

const CODES: readonly (readonly [prefix: string, code: EngineErrorCode])[] = [
  ['SQLITE_FULL', 'STORE_FULL'],
  ['SQLITE_BUSY', 'STORE_UNAVAILABLE'],
  ['SQLITE_LOCKED', 'STORE_UNAVAILABLE'],
  ['SQLITE_CORRUPT', 'CORRUPT'],
  ['SQLITE_NOTADB', 'CORRUPT'],
];

/** The transaction was rolled back, so that nothing of it was done. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  const known = CODES.find(([prefix]) => code.startsWith(prefix))?.[1];
  // IOERR and the like may pass; a defect of ours would not, and must not be tried again and again.
  const fallback = code.startsWith('SQLITE_') ? 'STORE_UNAVAILABLE' : 'INVALID_CALL';
  return new EngineError(known ?? fallback, code === '' ? message : `${message} (${code})`, { cause: error });
}

export function toFailure(error: unknown): Failure {
  const { code, message, outcome, retryable } = asEngineError(error);
  return { code, message, outcome, retryable };
}

export function fromFailure({ code, message, outcome, retryable }: Failure): EngineError {
  return new EngineError(code, message, { outcome, retryable });
}
