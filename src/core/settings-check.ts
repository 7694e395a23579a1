// Queue settings between the wire (snake_case) and the engines (camelCase), checked on the way in.
import { type Problem, problem } from './codes.ts';
import { describeIssues, type Issue, isObject } from './fields.ts';
import { DEFAULT_SETTINGS, type QueueSettings, type SettingsPatch } from './settings.ts';
import { settingsPatch } from './settings-schema.ts';
import { snakeCase } from './text.ts';

export type SettingsPatchResult =
  | { readonly ok: true; readonly patch: SettingsPatch }
  | { readonly ok: false; readonly problem: Problem };

const KEYS = Object.keys(DEFAULT_SETTINGS) as (keyof QueueSettings)[];
const WIRE_NAMES: ReadonlyMap<keyof QueueSettings, string> = new Map(
  KEYS.map((key) => [key, snakeCase(key)]),
);

/** Checks a merge patch in wire names; INVALID_REQUEST with `details.issues` where a rule is broken. */
export function parseSettingsPatch(raw: unknown): SettingsPatchResult {
  const issues: Issue[] = [];
  settingsPatch.check(raw, '', issues);
  if (issues.length > 0) {
    const details = { issues };
    return { ok: false, problem: problem('INVALID_REQUEST', describeIssues(issues), { details }) };
  }
  const wire = raw as Record<string, unknown>;
  const patch: Record<string, unknown> = {};
  for (const [key, name] of WIRE_NAMES) {
    if (wire[name] !== undefined) patch[key] = fromWire(key, wire[name]);
  }
  return { ok: true, patch };
}

/** Settings, or one queue's overrides, in wire names. */
export function settingsToWire(settings: Partial<QueueSettings>): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [key, name] of WIRE_NAMES) {
    if (settings[key] !== undefined) wire[name] = toWire(key, settings);
  }
  return wire;
}

function fromWire(key: keyof QueueSettings, value: unknown): unknown {
  if (!isObject(value)) return value;
  if (key === 'rate') return { limit: value.limit, perMs: value.per_ms, burst: value.burst ?? 1 };
  if (key === 'reservedShare') return { minPriority: value.min_priority, share: value.share };
  return { ...value };
}

function toWire(key: keyof QueueSettings, settings: Partial<QueueSettings>): unknown {
  const { rate, reservedShare } = settings;
  if (key === 'rate' && rate) return { limit: rate.limit, per_ms: rate.perMs, burst: rate.burst };
  if (key === 'reservedShare' && reservedShare) {
    return { min_priority: reservedShare.minPriority, share: reservedShare.share };
  }
  return settings[key];
}
