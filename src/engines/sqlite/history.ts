// The last attempts of a task as kept in tasks.history: a JSON array of arrays, oldest first, each with the token that
// settled it, so that the same settlement told twice is known again.
import {
  ATTEMPTS_KEPT,
  type AttemptOutcome,
  type AttemptRecord,
  type Instant,
  type TaskError,
} from '../../core/task.ts';

type Entry = readonly [
  attempt: number,
  workerId: string,
  startedAt: Instant,
  finishedAt: Instant,
  outcome: AttemptOutcome,
  error: TaskError | null,
  retryDelayMs: number | null,
  token: string,
];

export function addAttempt(history: string | null, record: AttemptRecord, token: string): string {
  const { attempt, workerId, startedAt, finishedAt, outcome, error, retryDelayMs } = record;
  const entry: Entry = [attempt, workerId, startedAt, finishedAt, outcome, error, retryDelayMs, token];
  if (history === null) return JSON.stringify([entry]);
  return JSON.stringify([...read(history), entry].slice(-ATTEMPTS_KEPT));
}

export function readAttempts(history: string | null): AttemptRecord[] {
  if (history === null) return [];
  return read(history).map(([attempt, workerId, startedAt, finishedAt, outcome, error, retryDelayMs]) => ({
    attempt,
    workerId,
    startedAt,
    finishedAt,
    outcome,
    error,
    retryDelayMs,
  }));
}

export function wasSettledBy(history: string | null, token: string): boolean {
  return history !== null && read(history).some((entry) => entry[7] === token);
}

function read(history: string): Entry[] {
  return JSON.parse(history) as Entry[];
}
