// Cursors: where the last page ended, and of which query it was a page. Opaque to callers, checked when they come back.
import { EngineError } from '../../engine/errors.ts';

export interface Position {
  readonly at: number;
  readonly key: string;
}

/** @param query names the listing and its filters: a cursor is good for the same query only */
export function writeCursor({ at, key }: Position, query: string): string {
  return Buffer.from(JSON.stringify({ at, key, query })).toString('base64url');
}

export function readCursor(cursor: string | null, query: string): Position | null {
  if (cursor === null) return null;
  const value = decode(cursor);
  if (typeof value?.at === 'number' && typeof value.key === 'string' && value.query === query) {
    return { at: value.at, key: value.key };
  }
  throw new EngineError('INVALID_CURSOR', 'the cursor is not one of this listing');
}

function decode(cursor: string): Partial<Record<'at' | 'key' | 'query', unknown>> | null {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as ReturnType<typeof decode>;
  } catch {
    return null;
  }
}
