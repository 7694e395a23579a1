// New tasks on their way into the thread, flat as in packing.ts.
import type { InputFile, RetryPolicy } from '../../core/task.ts';
import type { NewTask } from '../../engine/messages.ts';

type Value = string | number | null | RetryPolicy | InputFile;

const WIDTH = 20;

export function packSubmit(batch: readonly NewTask[]): Value[] {
  const packed: Value[] = [];
  for (const task of batch) {
    packed.push(
      task.id,
      task.queue,
      task.type,
      task.payload,
      task.metadata,
      task.bytes,
      task.priority,
      task.tenant,
      task.client,
      task.idempotencyKey,
      task.ttlMs,
      task.maxAttempts,
      task.timeoutMs,
      task.retry,
      task.input,
      task.traceparent,
      task.tracestate,
      task.runAt,
      task.fingerprint,
      task.keyHeldUntil,
    );
  }
  return packed;
}

export function unpackSubmit(packed: readonly Value[]): NewTask[] {
  const batch: NewTask[] = [];
  for (let from = 0; from < packed.length; from += WIDTH) {
    const at = <T>(place: number): T => packed[from + place] as T;
    batch.push({
      id: at(0),
      queue: at(1),
      type: at(2),
      payload: at(3),
      metadata: at(4),
      bytes: at(5),
      priority: at(6),
      tenant: at(7),
      client: at(8),
      idempotencyKey: at(9),
      ttlMs: at(10),
      maxAttempts: at(11),
      timeoutMs: at(12),
      retry: at(13),
      input: at(14),
      traceparent: at(15),
      tracestate: at(16),
      runAt: at(17),
      fingerprint: at(18),
      keyHeldUntil: at(19),
    });
  }
  return batch;
}
