// The registry of workers, kept by their beats.
import type { Call } from '../../engine/messages.ts';
import type { WorkerBeat, WorkerRecord } from '../../engine/records.ts';
import type { State } from './state.ts';

export function beat(state: State, report: WorkerBeat, { at }: Call): void {
  const known = state.workers.get(report.workerId);
  const restarted = report.status === 'starting' && known?.status !== 'starting';
  const startedAt = known && !restarted ? known.startedAt : at;
  state.workers.set(report.workerId, { ...report, startedAt, lastBeatAt: at });
}

export function listWorkers(state: State): WorkerRecord[] {
  return [...state.workers.values()].sort((a, b) => (a.workerId < b.workerId ? -1 : 1));
}
