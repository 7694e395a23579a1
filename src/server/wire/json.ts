// JSON text out of values and of text that is JSON already: what was stored as text goes out without being parsed again.
import type { Instant } from '../../core/task.ts';

/** `value` as JSON, with members added whose values are JSON text. `value` has at least one member. */
export function jsonWith(value: object, members: Readonly<Record<string, string>>): string {
  const added = Object.entries(members).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `${JSON.stringify(value).slice(0, -1)},${added.join(',')}}`;
}

/** One page of a listing; the items are JSON text. */
export function pageJson(items: readonly string[], nextCursor: string | null): string {
  return `{"items":[${items.join(',')}],"next_cursor":${JSON.stringify(nextCursor)}}`;
}

/** RFC 3339, UTC, milliseconds. */
export function time(at: Instant): string {
  return new Date(at).toISOString();
}

export function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : time(at);
}
