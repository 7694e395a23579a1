// `flaky {failures}`: fails that many attempts, then results in `{attempt}`. Counts by the attempt, keeps no state.
import type { Handler } from '../handler.ts';
import { integerField, payloadObject } from './payload.ts';

const FAILURES_MAX = 1000;

export const flaky: Handler = (payload, { attempt }) => {
  const fields = payloadObject('flaky', payload, ['failures']);
  const failures = integerField('flaky', 'failures', fields.failures, FAILURES_MAX);
  if (attempt <= failures) throw new Error(`flaky: attempt ${attempt} of ${failures} that fail`);
  return { attempt };
};
