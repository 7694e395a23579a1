// `sleep {ms}`: waits that long, results in null. An abort ends the wait at once.
import { setTimeout as wait } from 'node:timers/promises';
import type { Handler } from '../handler.ts';
import { integerField, payloadObject } from './payload.ts';

/** A day. */
const SLEEP_MS_MAX = 86_400_000;

export const sleep: Handler = async (payload, { signal }) => {
  const { ms } = payloadObject('sleep', payload, ['ms']);
  return wait(integerField('sleep', 'ms', ms, SLEEP_MS_MAX), null, { signal });
};
