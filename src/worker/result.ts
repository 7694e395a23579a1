// What a handler returned, as the outcome to report: a deferral, or a result that fits the store.
import type { Outcome } from '../core/decision.ts';
import { utf8Bytes } from '../core/text.ts';
import { isDeferral } from './handler.ts';
import { boundedDelay, failure } from './task-error.ts';

/** UTF-8 bytes of a result's JSON text. */
const RESULT_BYTES_MAX = 65_536;

const NOTHING: Outcome = { kind: 'succeed', result: null };

/** A result that cannot be kept is a permanent failure: running the handler again would give the same. */
export function outcomeOf(value: unknown): Outcome {
  if (value === undefined || value === null) return NOTHING;
  let text: string | undefined;
  try {
    if (isDeferral(value)) return { kind: 'defer', delayMs: boundedDelay(value.delayMs) };
    text = JSON.stringify(value);
  } catch (thrown) {
    return failure('ResultError', `the result cannot be written as JSON: ${reason(thrown)}`, false);
  }
  if (text === undefined) {
    return failure('ResultError', `the result cannot be written as JSON: it is a ${typeof value}`, false);
  }
  if (text.length > RESULT_BYTES_MAX || utf8Bytes(text) > RESULT_BYTES_MAX) {
    return failure('ResultError', `the result is over ${RESULT_BYTES_MAX} bytes of JSON`, false);
  }
  return { kind: 'succeed', result: text };
}

/** V8's own messages about cycles and BigInts name keys, never values; anything else may hold data. */
function reason(thrown: unknown): string {
  return thrown instanceof TypeError && /circular|BigInt/.test(thrown.message)
    ? (thrown.message.split('\n')[0] ?? '')
    : 'its toJSON or a getter threw';
}
