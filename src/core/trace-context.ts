// W3C Trace Context, level 1: takes what is valid, drops what is not, as the recommendation asks of a receiver.

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const STATE_MEMBER =
  /^(?:[a-z0-9][a-z0-9_*/-]{0,255}|[a-z0-9][a-z0-9_*/-]{0,240}@[a-z][a-z0-9_*/-]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const STATE_MEMBERS_MAX = 32;
const STATE_CHARACTERS_MAX = 512;
const PARENT_CHARACTERS_MAX = 256;

export interface TraceContext {
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** A state without a valid parent means nothing, so it goes too. Never an error. */
export function traceContext(traceparent: unknown, tracestate: unknown): TraceContext {
  if (!isParent(traceparent)) return { traceparent: null, tracestate: null };
  return { traceparent, tracestate: isState(tracestate) ? tracestate : null };
}

function isParent(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > PARENT_CHARACTERS_MAX) return false;
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(value) ?? [];
  if (version === undefined || traceId === undefined || parentId === undefined || version === 'ff')
    return false;
  // Version 00 is complete as it stands; a later one may go on after another dash.
  if (version === '00' && rest !== undefined) return false;
  return !/^0+$/.test(traceId) && !/^0+$/.test(parentId);
}

function isState(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > STATE_CHARACTERS_MAX) return false;
  const members = value.split(',').map((member) => member.trim());
  const filled = members.filter((member) => member !== '');
  if (filled.length === 0 || filled.length > STATE_MEMBERS_MAX) return false;
  const keys = new Set(filled.map((member) => member.slice(0, member.indexOf('='))));
  return keys.size === filled.length && filled.every((member) => STATE_MEMBER.test(member));
}
