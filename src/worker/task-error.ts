// Any thrown value as a TaskError: bounded, storable, and safe against values that throw when they are looked at.
import type { Outcome } from '../core/decision.ts';
import type { TaskError } from '../core/task.ts';
import { isStorable } from '../core/text.ts';
import { isPermanent, retryDelayOf } from './handler.ts';

const NAME_MAX = 100;
const MESSAGE_MAX = 500;
/** Ten years: a delay beyond it is a slip, and its instant must stay a sound number. */
const DELAY_MAX_MS = 315_360_000_000;

/** What a handler's throw (or rejection) with this value reports. */
export function failureOf(thrown: unknown): Outcome {
  const error: TaskError = {
    name: boundedText(nameOf(thrown), NAME_MAX),
    message: boundedText(messageOf(thrown), MESSAGE_MAX),
    retryable: !attempt(() => isPermanent(thrown), false),
  };
  const delay = attempt(() => retryDelayOf(thrown), null);
  return delay === null
    ? { kind: 'fail', error }
    : { kind: 'fail', error, retryDelayMs: boundedDelay(delay) };
}

/** A failure that the worker itself finds, in the shape of a handler's. */
export function failure(name: string, message: string, retryable: boolean): Outcome {
  return { kind: 'fail', error: { name, message: boundedText(message, MESSAGE_MAX), retryable } };
}

/** Whole milliseconds in 0..10 years; what is not a number counts as 0. */
export function boundedDelay(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.min(DELAY_MAX_MS, Math.max(0, Math.ceil(ms)));
}

function nameOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return 'Error';
  const name = attempt(() => (thrown as { name?: unknown }).name, undefined);
  return typeof name === 'string' && name !== '' ? name : 'Error';
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (typeof thrown === 'object' && thrown !== null) {
    const message = attempt(() => (thrown as { message?: unknown }).message, undefined);
    // Nothing else of an object is shown: it may be the payload.
    return typeof message === 'string' ? message : 'the handler threw an object without a message';
  }
  if (typeof thrown === 'function') return 'the handler threw a function';
  return `the handler threw ${String(thrown)}`;
}

/** Cut before it is scanned, so that a message of 10 MB costs no more than a short one. */
function boundedText(text: string, max: number): string {
  const cut = text.length <= max ? text : text.slice(0, max);
  return isStorable(cut) ? cut : cut.replace(/\0|\p{Surrogate}/gu, '\uFFFD');
}

function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
