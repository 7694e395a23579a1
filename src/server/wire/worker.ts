// A worker as the wire shows it.
import type { Instant } from '../../core/task.ts';
import type { WorkerRecord, WorkerStatus } from '../../engine/records.ts';
import { time } from './json.ts';

/** Workers beat every 10 s: three missed beats are no accident. */
const STALE_MS = 30_000;

/** What the worker said last, or `stale` where it should have said something since. */
export function workerStatus({ status, lastBeatAt }: WorkerRecord, at: Instant): WorkerStatus | 'stale' {
  return status !== 'stopped' && at - lastBeatAt > STALE_MS ? 'stale' : status;
}

export function workerView(worker: WorkerRecord, at: Instant) {
  return {
    worker_id: worker.workerId,
    status: workerStatus(worker, at),
    slots: worker.slots,
    running: worker.running,
    cpu: worker.cpu,
    loop_delay_ms: worker.loopDelayMs,
    version: worker.version,
    queues: worker.queues,
    types: worker.types,
    started_at: time(worker.startedAt),
    last_beat_at: time(worker.lastBeatAt),
  };
}
