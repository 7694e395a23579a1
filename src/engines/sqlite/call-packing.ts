// New tasks and settlements on their way into the thread: the first flat as in packing.ts, the second as one JSON text,
// which for many small values without a payload is faster still.
import type { NewTask, Settlement } from '../../engine/messages.ts';

type Rare = Pick<
  NewTask,
  | 'idempotencyKey'
  | 'fingerprint'
  | 'keyHeldUntil'
  | 'runAt'
  | 'ttlMs'
  | 'retry'
  | 'input'
  | 'traceparent'
  | 'tracestate'
>;
type Value = string | number | null | Rare;

const WIDTH = 12;
const NOTHING_RARE: Rare = {
  idempotencyKey: null,
  fingerprint: null,
  keyHeldUntil: null,
  runAt: null,
  ttlMs: null,
  retry: null,
  input: null,
  traceparent: null,
  tracestate: null,
};

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
      task.maxAttempts,
      task.timeoutMs,
      rareOf(task),
    );
  }
  return packed;
}

function rareOf(task: NewTask): Rare | null {
  const { idempotencyKey, fingerprint, keyHeldUntil, runAt, ttlMs, retry, input, traceparent, tracestate } =
    task;
  const plain =
    idempotencyKey === null &&
    runAt === null &&
    ttlMs === null &&
    retry === null &&
    input === null &&
    traceparent === null &&
    tracestate === null;
  if (plain) return null;
  return { idempotencyKey, fingerprint, keyHeldUntil, runAt, ttlMs, retry, input, traceparent, tracestate };
}

export function unpackSubmit(packed: readonly Value[]): NewTask[] {
  const batch: NewTask[] = [];
  for (let from = 0; from < packed.length; from += WIDTH) {
    const rare = (packed[from + 11] as Rare | null) ?? NOTHING_RARE;
    batch.push({
      id: packed[from] as string,
      queue: packed[from + 1] as string,
      type: packed[from + 2] as string,
      payload: packed[from + 3] as string,
      metadata: packed[from + 4] as string,
      bytes: packed[from + 5] as number,
      priority: packed[from + 6] as number,
      tenant: packed[from + 7] as string,
      client: packed[from + 8] as string,
      idempotencyKey: rare.idempotencyKey,
      ttlMs: rare.ttlMs,
      maxAttempts: packed[from + 9] as number,
      timeoutMs: packed[from + 10] as number,
      retry: rare.retry,
      input: rare.input,
      traceparent: rare.traceparent,
      tracestate: rare.tracestate,
      runAt: rare.runAt,
      fingerprint: rare.fingerprint,
      keyHeldUntil: rare.keyHeldUntil,
    });
  }
  return batch;
}

type FlatSettlement = [
  id: string,
  token: string,
  workerId: string,
  startedAt: number,
  decision: Settlement['settled']['decision'],
  outcome: Settlement['settled']['outcome'],
  retryDelayMs: number | null,
];

export function packSettle(batch: readonly Settlement[]): string {
  const flat = batch.map(({ id, token, workerId, startedAt, settled }): FlatSettlement => {
    const { decision, outcome, retryDelayMs } = settled;
    return [id, token, workerId, startedAt, decision, outcome, retryDelayMs];
  });
  return JSON.stringify(flat);
}

export function unpackSettle(packed: string): Settlement[] {
  const flat = JSON.parse(packed) as FlatSettlement[];
  return flat.map(([id, token, workerId, startedAt, decision, outcome, retryDelayMs]) => {
    return { id, token, workerId, startedAt, settled: { decision, outcome, retryDelayMs } };
  });
}
