// The Idempotency-Key header: an RFC 8941 string in quotes, or the bare key as most clients send it.
import { KEY_BYTES_MAX } from './task-schema.ts';

const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
const BARE = /^[!#-~][ -~]*$/;

export type HeaderKey =
  | { readonly ok: true; readonly key: string | null }
  | { readonly ok: false; readonly rule: string };

/** @param header undefined: no such header; a list: it came more than once, which is refused */
export function parseIdempotencyHeader(header: string | readonly string[] | undefined): HeaderKey {
  if (header === undefined) return { ok: true, key: null };
  if (typeof header !== 'string') return { ok: false, rule: 'at most once' };
  const text = header.trim();
  const quoted = QUOTED.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(text) ? text : '');
  if (key.length < 1 || key.length > KEY_BYTES_MAX) {
    return { ok: false, rule: `1..${KEY_BYTES_MAX} printable ASCII characters, bare or a quoted string` };
  }
  return { ok: true, key };
}
