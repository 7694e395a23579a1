// Counts everything again from the rows and compares it with the counters and lists: what must hold at every moment
// (the counters equal a recount; every task is in exactly the lists of its state). A scan of the whole store: for tests,
// and for whoever doubts a file.
import type { Database } from 'better-sqlite3';

/** All tasks with what readers see; waiting ones of this epoch; waiting ones, purged but unswept included. */
const VIEWS = `WITH
  seen AS (SELECT t.*, l.seq IS NOT NULL AS running, q.epoch AS present FROM tasks t
    JOIN queues q ON q.number = t.queue LEFT JOIN leases l ON l.seq = t.seq),
  waiting AS (SELECT *, epoch * 65536 + queue AS list FROM seen WHERE NOT running AND status IN (0, 1, 3)),
  live AS (SELECT * FROM waiting WHERE epoch = present)`;

/** Each gives rows only where something is wrong. */
const CHECKS: Readonly<Record<string, string>> = {
  'counters of a queue': `SELECT name FROM queues q WHERE
    (queued, scheduled, retrying, waiting_bytes) IS NOT (SELECT coalesce(sum(status = 1), 0), coalesce(sum(status = 0), 0),
      coalesce(sum(status = 3), 0), coalesce(sum(bytes), 0) FROM live WHERE live.queue = q.number)
    OR (running, running_bytes) IS NOT (SELECT count(*), coalesce(sum(bytes), 0) FROM seen
      WHERE seen.queue = q.number AND running)
    OR dead IS NOT (SELECT count(*) FROM tasks WHERE tasks.queue = q.number AND in_dlq)`,
  'accepted + redriven = unfinished + finished': `SELECT name FROM queues WHERE accepted + redriven <>
    queued + running + scheduled + retrying + succeeded + failed + dead_lettered + cancelled + expired`,
  'queued tasks in their lines': both(
    'SELECT line, pos, seq, available_at, expires_at, deliveries FROM waiting WHERE status = 1',
    'SELECT line, pos, seq, available_at, expires_at, deliveries FROM ready',
  ),
  'lengths of lines': both(
    'SELECT line, queue, priority, tenant, count(*) FROM live WHERE status = 1 GROUP BY 1, 2, 3, 4',
    `SELECT line, queue, priority, tenant, lines.queued FROM lines JOIN queues ON number = queue
      WHERE lines.epoch = queues.epoch`,
  ),
  'scheduled and retrying tasks': both(
    'SELECT list, available_at, seq FROM waiting WHERE status <> 1',
    'SELECT list, at, seq FROM schedule',
  ),
  'waiting tasks that expire': both(
    'SELECT list, expires_at, seq FROM waiting WHERE expires_at IS NOT NULL',
    'SELECT list, at, seq FROM expiring',
  ),
  'leases and their tasks': both(
    'SELECT seq, queue FROM leases',
    'SELECT seq, queue FROM tasks WHERE seq IN (SELECT seq FROM leases)',
  ),
  'leases of requests': both(
    'SELECT request, count(*) FROM leases WHERE request IS NOT NULL GROUP BY 1',
    'SELECT request, live FROM requests',
  ),
  'final tasks are kept or dead letters': `SELECT seq FROM seen WHERE NOT running
    AND (status >= 4) IS NOT (retain_from IS NOT NULL OR in_dlq)`,
  'dead letters': both(
    'SELECT queue, dead_at, seq FROM tasks WHERE in_dlq',
    'SELECT list, at, seq FROM dead',
  ),
  results: both(
    'SELECT queue, finished_at, seq FROM results JOIN tasks USING (seq)',
    'SELECT list, at, seq FROM result_ends',
  ),
  bodies: both('SELECT seq FROM tasks', 'SELECT seq FROM bodies'),
  'keys and their tasks': both(
    'SELECT key, seq, id FROM tasks WHERE key IS NOT NULL',
    'SELECT key, seq, id FROM keys WHERE seq IS NOT NULL',
  ),
  'keys that lapse': both(
    `SELECT held_until, k.key FROM keys k LEFT JOIN seen t ON t.seq = k.seq
      WHERE t.seq IS NULL OR (NOT t.running AND t.status >= 4)`,
    'SELECT held_until, key FROM lapsing',
  ),
};

/** Rows that are in one of two selections only. */
function both(tasks: string, list: string): string {
  return `SELECT * FROM (${tasks} EXCEPT ${list}) UNION ALL SELECT * FROM (${list} EXCEPT ${tasks})`;
}

/** What does not add up, with up to five rows each; empty where all does. */
export function recount(db: Database): string[] {
  return Object.entries(CHECKS).flatMap(([what, sql]) => {
    const rows = db.prepare(`${VIEWS} ${sql} LIMIT 5`).raw().all();
    return rows.length === 0 ? [] : [`${what}: ${JSON.stringify(rows)}`];
  });
}
