// A submitted body to a task: strict (nothing is coerced), complete (every default filled in) and quick to say no.
import { type Problem, problem } from './codes.ts';
import { describeIssues, type Issue } from './fields.ts';
import { DEFAULT_RETRY } from './retry.ts';
import { parseRfc3339 } from './rfc3339.ts';
import type { Instant, RetryPolicy, TaskSpec } from './task.ts';
import { DELAY_MS_MAX, METADATA_BYTES_MAX, type TaskWire, taskFields } from './task-schema.ts';
import { utf8Bytes } from './text.ts';
import { traceContext } from './trace-context.ts';

/** Everything that the body decides; the caller adds who sent it and the file. */
export interface TaskInput extends Omit<TaskSpec, 'client' | 'input'> {
  /** null: due at once. */
  readonly runAt: Instant | null;
}

export interface TaskInputContext {
  readonly at: Instant;
  /** UTF-8 bytes of the compact payload. */
  readonly payloadBytesMax: number;
  /** From the Idempotency-Key header (idempotency-key.ts); wins over the body. */
  readonly headerKey?: string | null;
}

export type TaskInputResult =
  | { readonly ok: true; readonly task: TaskInput }
  | { readonly ok: false; readonly problem: Problem };

export const DEFAULT_QUEUE = 'default';
const DEFAULT_PRIORITY = 5;
const DEFAULT_MAX_ATTEMPTS = 5;
const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Checks a parsed JSON body (API section 1) and fills in the defaults.
 * Problems: INVALID_TASK with `details.issues`, then PAYLOAD_TOO_LARGE, METADATA_TOO_LARGE with `{bytes, limit}`.
 */
export function parseTask(raw: unknown, context: TaskInputContext): TaskInputResult {
  const issues: Issue[] = [];
  taskFields.check(raw, '', issues);
  if (issues.length > 0) return invalid(issues);
  const wire = raw as TaskWire;
  const runAt = startOf(wire, context.at, issues);
  const retry = retryOf(wire.retry, issues);
  if (issues.length > 0) return invalid(issues);

  const payload = wire.payload === undefined ? '{}' : JSON.stringify(wire.payload);
  const payloadBytes = utf8Bytes(payload);
  if (payloadBytes > context.payloadBytesMax) {
    return tooLarge('PAYLOAD_TOO_LARGE', 'payload', payloadBytes, context.payloadBytesMax);
  }
  const metadata = wire.metadata === undefined ? '{}' : JSON.stringify(wire.metadata);
  const metadataBytes = utf8Bytes(metadata);
  if (metadataBytes > METADATA_BYTES_MAX) {
    return tooLarge('METADATA_TOO_LARGE', 'metadata', metadataBytes, METADATA_BYTES_MAX);
  }
  return {
    ok: true,
    task: {
      queue: wire.queue ?? DEFAULT_QUEUE,
      type: wire.type,
      payload,
      metadata,
      bytes: payloadBytes + metadataBytes,
      priority: wire.priority ?? DEFAULT_PRIORITY,
      tenant: wire.tenant ?? '',
      idempotencyKey: context.headerKey ?? wire.idempotency_key ?? null,
      ttlMs: wire.ttl_ms ?? null,
      maxAttempts: wire.max_attempts ?? DEFAULT_MAX_ATTEMPTS,
      timeoutMs: wire.timeout_ms ?? DEFAULT_TIMEOUT_MS,
      retry,
      ...traceContext(wire.traceparent, wire.tracestate),
      runAt,
    },
  };
}

/** When the task comes due; adds what is wrong between delay, time and time to live. */
function startOf(wire: TaskWire, at: Instant, issues: Issue[]): Instant | null {
  const { delay_ms: delayMs, run_at: runAtText, ttl_ms: ttlMs } = wire;
  if (delayMs !== undefined && runAtText !== undefined) {
    issues.push({ path: 'run_at', rule: 'only one of delay_ms and run_at', kind: 'string' });
    return null;
  }
  let runAt = delayMs === undefined ? at : at + delayMs;
  if (runAtText !== undefined) {
    const parsed = parseRfc3339(runAtText);
    if (parsed === null || parsed > at + DELAY_MS_MAX) {
      const rule = parsed === null ? 'RFC 3339 time with a zone' : 'at most 10 years ahead';
      issues.push({ path: 'run_at', rule, kind: 'string' });
      return null;
    }
    runAt = parsed;
  }
  if (runAt <= at) return null;
  if (ttlMs !== undefined && at + ttlMs <= runAt) {
    issues.push({ path: 'ttl_ms', rule: 'longer than the delay before the first start', kind: 'number' });
  }
  return runAt;
}

/** What is left out takes its default, except that an unnamed bound never cuts the delay that was asked for. */
function retryOf(wire: TaskWire['retry'], issues: Issue[]): RetryPolicy | null {
  if (wire === undefined) return null;
  const { base_ms: baseMs = DEFAULT_RETRY.baseMs, multiplier, max_ms: maxMs, jitter } = wire;
  if (maxMs !== undefined && maxMs < baseMs) {
    issues.push({ path: 'retry.max_ms', rule: 'at least base_ms', kind: 'number' });
  }
  return {
    baseMs,
    multiplier: multiplier ?? DEFAULT_RETRY.multiplier,
    maxMs: maxMs ?? Math.max(DEFAULT_RETRY.maxMs, baseMs),
    jitter: jitter ?? DEFAULT_RETRY.jitter,
  };
}

function invalid(issues: readonly Issue[]): TaskInputResult {
  const details = { issues };
  return { ok: false, problem: problem('INVALID_TASK', describeIssues(issues), { details }) };
}

function tooLarge(
  code: 'PAYLOAD_TOO_LARGE' | 'METADATA_TOO_LARGE',
  name: string,
  bytes: number,
  limit: number,
): TaskInputResult {
  const message = `${name} has ${bytes} bytes, the limit is ${limit}`;
  return { ok: false, problem: problem(code, message, { details: { bytes, limit } }) };
}
