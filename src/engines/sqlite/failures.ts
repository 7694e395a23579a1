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
  ['ENOSPC', 'STORE_FULL'],
  ['SQLITE_BUSY', 'STORE_UNAVAILABLE'],
  ['SQLITE_LOCKED', 'STORE_UNAVAILABLE'],
  ['SQLITE_CORRUPT', 'CORRUPT'],
  ['SQLITE_NOTADB', 'CORRUPT'],
  ['SQLITE_CONSTRAINT', 'INVALID_CALL'],
  ['SQLITE_MISMATCH', 'INVALID_CALL'],
];

/** The transaction was rolled back, so that nothing of it was done. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const { code = '', message = String(error) } = error as { code?: string; message?: string };
  return new EngineError(engineCode(error), code === '' ? message : `${message} (${code})`, { cause: error });
}

function engineCode(error: unknown): EngineErrorCode {
  const { code = '', syscall } = error as { code?: string; syscall?: string };
  const known = CODES.find(([prefix]) => code.startsWith(prefix))?.[1];
  if (known) return known;
  // The disk and the system may recover; a defect of ours would not, and must not be tried again and again.
  return code.startsWith('SQLITE_') || syscall !== undefined ? 'STORE_UNAVAILABLE' : 'INVALID_CALL';
}

export function toFailure(error: unknown): Failure {
  const { code, message, outcome, retryable } = asEngineError(error);
  return { code, message, outcome, retryable };
}

export function fromFailure({ code, message, outcome, retryable }: Failure): EngineError {
  return new EngineError(code, message, { outcome, retryable });
}
