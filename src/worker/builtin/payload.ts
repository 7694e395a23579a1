// Reads the payloads of the built-in types: an object with known fields, or a PermanentError that names the rule.
import { PermanentError } from '../handler.ts';

const NAME_SHOWN_MAX = 40;

/** The payload as an object that has no other fields than `allowed`. */
export function payloadObject(
  type: string,
  payload: unknown,
  allowed: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new PermanentError(`${type}: the payload must be an object`);
  }
  const known = allowed.length === 0 ? 'it takes none' : `it takes ${allowed.join(', ')}`;
  for (const name of Object.keys(payload)) {
    if (allowed.includes(name)) continue;
    throw new PermanentError(
      `${type}: unknown payload field ${JSON.stringify(name.slice(0, NAME_SHOWN_MAX))}; ${known}`,
    );
  }
  return payload as Readonly<Record<string, unknown>>;
}

/** An integer in 0..max. */
export function integerField(type: string, name: string, value: unknown, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new PermanentError(`${type}: ${name} must be an integer in 0..${max}`);
}
