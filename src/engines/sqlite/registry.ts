// Workers by their beats, and the audit trail.
import type { Instant } from '../../core/task.ts';
import type { Call } from '../../engine/messages.ts';
import type { AuditEntry, Page, WorkerBeat, WorkerRecord } from '../../engine/records.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Store } from './store.ts';

const WORKER_KEPT_MS = 86_400_000;

export function beat({ sql }: Store, report: WorkerBeat, { at }: Call): void {
  const [since, text] = (sql.workerById.get(report.workerId) ?? [at, null]) as [Instant, string | null];
  const known = text === null ? null : (JSON.parse(text) as WorkerBeat);
  const restarted = report.status === 'starting' && known?.status !== 'starting';
  sql.putWorker.run(report.workerId, restarted ? at : since, at, JSON.stringify(report));
}

export function listWorkers({ sql }: Store): WorkerRecord[] {
  const rows = sql.allWorkers.all() as [Instant, Instant, string][];
  return rows.map(([startedAt, lastBeatAt, text]) => ({
    ...(JSON.parse(text) as WorkerBeat),
    startedAt,
    lastBeatAt,
  }));
}

export function forgetWorkers({ sql }: Store, limit: number, at: Instant): number {
  if (limit <= 0) return 0;
  const silent = sql.silentWorkers.all(at - WORKER_KEPT_MS, limit) as [string][];
  for (const [id] of silent) sql.deleteWorker.run(id);
  return silent.length;
}

/** When the next silent worker is forgotten. */
export function firstForgetting({ sql }: Store): Instant | null {
  const [first] = sql.firstBeat.get() as [Instant | null];
  return first === null ? null : first + WORKER_KEPT_MS;
}

export function appendAudit({ sql }: Store, entries: readonly AuditEntry[]): void {
  for (const { at, principal, action, queue, target, details } of entries) {
    sql.insertAudit.run(at, principal, action, queue, target, JSON.stringify(details));
  }
}

/** Numbers have no gaps: a number says how many entries are older. */
export function trimAudit({ sql, config }: Store, limit: number): number {
  const [first, last] = sql.auditEnds.get() as [number | null, number | null];
  if (first === null || last === null) return 0;
  const tooMany = Math.max(0, Math.min(limit, last - first + 1 - config.auditMax));
  if (tooMany > 0) sql.trimAudit.run(first + tooMany - 1);
  return tooMany;
}

type AuditRow = [number, Instant, string, string, string | null, string | null, string];

export function listAudit(
  { sql }: Store,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | null },
): Page<AuditEntry> {
  const below = readCursor(cursor, 'audit')?.at ?? Number.MAX_SAFE_INTEGER;
  const rows = sql.auditBelow.all(below, limit + 1) as AuditRow[];
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(([, at, principal, action, queue, target, details]) => ({
      at,
      principal,
      action,
      queue,
      target,
      details: JSON.parse(details) as AuditEntry['details'],
    })),
    next: rows.length > limit && last ? writeCursor({ at: last[0], key: '' }, 'audit') : null,
  };
}
