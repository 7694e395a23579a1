// A task as the wire shows it (API section 1).
import { DEFAULT_RETRY } from '../../core/retry.ts';
import type { AttemptRecord, InputFile, Task } from '../../core/task.ts';
import { jsonWith, time, timeOrNull } from './json.ts';

/** JSON text of the whole task. */
export function taskJson(task: Task): string {
  const { payload, metadata, result } = task;
  return jsonWith(taskFields(task), { payload, metadata, result: result ?? 'null' });
}

function taskFields(task: Task) {
  const { retry, deadLetter } = task;
  const { baseMs, multiplier, maxMs, jitter } = retry ?? DEFAULT_RETRY;
  return {
    id: task.id,
    queue: task.queue,
    type: task.type,
    status: task.status,
    priority: task.priority,
    tenant: task.tenant,
    idempotency_key: task.idempotencyKey,
    attempt: task.attempt,
    max_attempts: task.maxAttempts,
    deliveries: task.deliveries,
    generation: task.generation,
    created_at: time(task.createdAt),
    available_at: time(task.availableAt),
    started_at: timeOrNull(task.startedAt),
    finished_at: timeOrNull(task.finishedAt),
    expires_at: timeOrNull(task.expiresAt),
    ttl_ms: task.ttlMs,
    timeout_ms: task.timeoutMs,
    retry: { base_ms: baseMs, multiplier, max_ms: maxMs, jitter },
    progress: task.progress && { percent: task.progress.percent, message: task.progress.message },
    last_error: errorFields(task.lastError),
    attempts: task.attempts.map(attemptFields),
    cancel_reason: task.cancelReason,
    dead_letter: deadLetter && { reason: deadLetter.reason, at: time(deadLetter.at) },
    input: inputFields(task.input),
    traceparent: task.traceparent,
    tracestate: task.tracestate,
  };
}

function errorFields(error: Task['lastError']) {
  return error && { name: error.name, message: error.message, retryable: error.retryable };
}

function attemptFields(record: AttemptRecord) {
  return {
    attempt: record.attempt,
    worker_id: record.workerId,
    started_at: time(record.startedAt),
    finished_at: time(record.finishedAt),
    duration_ms: record.finishedAt - record.startedAt,
    outcome: record.outcome,
    error: errorFields(record.error),
    retry_delay_ms: record.retryDelayMs,
  };
}

/** Everything but where it lies. */
function inputFields(input: InputFile | null) {
  if (input === null) return null;
  const { name, contentType, bytes, sha256 } = input;
  return { name, content_type: contentType, bytes, sha256 };
}
