// The SQL of the hot paths and passes, by name. One row at a time through prepared statements: measured, that is as fast
// as one json_each statement per batch for narrow rows and faster for wide ones (docs/decisions/0007).
import { BODY_COLUMNS, LEASE_COLUMNS, TASK_COLUMNS, UPDATE_TASK } from './task-row.ts';

const TASKS_WITH_LEASES = `SELECT ${TASK_COLUMNS}, ${LEASE_COLUMNS} FROM tasks t LEFT JOIN leases l ON l.seq = t.seq`;

export const SQL = {
  // tasks
  insertTask: `INSERT INTO tasks (seq, id, queue, type, priority, tenant, bytes, created_at, key, status, epoch, line, pos,
    available_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  insertBody: `INSERT INTO bodies (seq, client, key_name, ttl_ms, max_attempts, timeout_ms, rest, metadata, payload)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  taskById: `${TASKS_WITH_LEASES} WHERE t.id = ?`,
  taskBySeq: `${TASKS_WITH_LEASES} WHERE t.seq = ?`,
  tasksBelow: `${TASKS_WITH_LEASES} WHERE t.id < ? ORDER BY t.id DESC LIMIT ?`,
  // What a queued task's row and body hold that its place in the line does not say already; see readQueued.
  queuedBySeq: `SELECT t.id, t.type, t.bytes, t.created_at, t.key, t.generation, t.given_back, t.losses, t.token,
    t.started_at, t.unknown_since, t.last_error, t.history, ${BODY_COLUMNS} FROM tasks t JOIN bodies b ON b.seq = t.seq
    WHERE t.seq = ?`,
  bodyBySeq: `SELECT ${BODY_COLUMNS}, (SELECT result FROM results r WHERE r.seq = b.seq) FROM bodies b WHERE b.seq = ?`,
  ttlBySeq: 'SELECT ttl_ms FROM bodies WHERE seq = ?',
  updateTask: UPDATE_TASK,
  succeedTask: `UPDATE tasks SET status = 4, deliveries = ?, token = ?, started_at = ?, finished_at = ?, retain_from = ?,
    progress = ?, history = ?, line = NULL, pos = NULL, unknown_since = NULL WHERE seq = ?`,
  askCancel: 'UPDATE tasks SET cancel_asked = 1 WHERE seq = ?',
  dropTaskKey: 'UPDATE tasks SET key = NULL WHERE seq = ?',
  deleteTask: 'DELETE FROM tasks WHERE seq = ?',
  deleteBody: 'DELETE FROM bodies WHERE seq = ? RETURNING rest',
  insertResult: 'INSERT OR REPLACE INTO results (seq, result) VALUES (?, ?)',
  deleteResult: 'DELETE FROM results WHERE seq = ?',

  // lines
  insertReady: `INSERT INTO ready (line, pos, seq, available_at, expires_at, deliveries) VALUES (?, ?, ?, ?, ?, ?)`,
  deleteReady: 'DELETE FROM ready WHERE line = ? AND pos = ?',
  deleteReadyUpTo: 'DELETE FROM ready WHERE line = ? AND pos <= ?',
  readyHead: `SELECT pos, seq, available_at, expires_at, deliveries FROM ready WHERE line = ? ORDER BY pos LIMIT ?`,

  // leases
  insertLease: `INSERT INTO leases (seq, queue, token, nonce, worker, started_at, until, request)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  releaseTo: `UPDATE leases SET token = ?, nonce = ?, until = ?, request = NULL, loss_told = 1 WHERE seq = ?`,
  extendLease: 'UPDATE leases SET until = ?, progress = ? WHERE seq = ?',
  deleteLease: 'DELETE FROM leases WHERE seq = ?',
  insertRequest: 'INSERT INTO requests (request, name, live, seqs) VALUES (?, ?, ?, ?)',
  requestByName: 'SELECT request, seqs FROM requests WHERE name = ?',
  endRequestLeases: 'UPDATE requests SET live = live - ? WHERE request = ? RETURNING live',
  deleteRequest: 'DELETE FROM requests WHERE request = ?',

  // keys
  keyByName: `SELECT k.key, k.fingerprint, k.held_until, k.id, k.seq, k.last_status FROM keys k
    WHERE k.queue = ? AND k.client = ? AND k.name = ?`,
  insertKey: `INSERT INTO keys (key, queue, client, name, fingerprint, held_until, id, seq)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  deleteKey: 'DELETE FROM keys WHERE key = ?',
  keyLosesRecord: 'UPDATE keys SET seq = NULL, last_status = ? WHERE key = ?',
  keyTask: 'SELECT seq, held_until FROM keys WHERE key = ?',
  startLapse:
    'INSERT OR IGNORE INTO lapsing (held_until, key) SELECT held_until, key FROM keys WHERE key = ?',
  stopLapse:
    'DELETE FROM lapsing WHERE key = ? AND held_until = (SELECT held_until FROM keys WHERE keys.key = ?)',
  lapsed: 'SELECT key FROM lapsing WHERE held_until <= ? ORDER BY held_until, key LIMIT ?',
  firstLapse: 'SELECT held_until FROM lapsing ORDER BY held_until LIMIT 1',

  // dead letters over one or all queues, newest first
  deadBelow: `SELECT at, seq FROM dead WHERE list = ? AND (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT ?`,
  allDeadBelow: `SELECT at, seq FROM dead WHERE (at, seq) < (?, ?) ORDER BY at DESC, seq DESC LIMIT ?`,
  oldestDead: 'SELECT at, seq FROM dead WHERE list = ? ORDER BY at, seq LIMIT ?',

  // purges and their sweep
  insertPurge: 'INSERT INTO purges (queue, epoch, at) VALUES (?, ?, ?)',
  deletePurge: 'DELETE FROM purges WHERE queue = ? AND epoch = ?',
  purgedLine: 'SELECT line FROM lines WHERE queue = ? AND epoch = ? LIMIT 1',
  deleteLine: 'DELETE FROM lines WHERE line = ?',

  // registry
  putWorker: `INSERT INTO workers (id, started_at, beat_at, beat) VALUES (?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, beat_at = excluded.beat_at, beat = excluded.beat`,
  workerById: 'SELECT started_at, beat FROM workers WHERE id = ?',
  allWorkers: 'SELECT started_at, beat_at, beat FROM workers ORDER BY id',
  silentWorkers: 'SELECT id FROM workers WHERE beat_at <= ? LIMIT ?',
  deleteWorker: 'DELETE FROM workers WHERE id = ?',
  firstBeat: 'SELECT min(beat_at) FROM workers',
  insertAudit: 'INSERT INTO audit (at, principal, action, queue, target, details) VALUES (?, ?, ?, ?, ?, ?)',
  auditBelow: `SELECT number, at, principal, action, queue, target, details FROM audit WHERE number < ?
    ORDER BY number DESC LIMIT ?`,
  auditEnds: 'SELECT min(number), max(number) FROM audit',
  trimAudit: 'DELETE FROM audit WHERE number <= ?',

  clock: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
} as const;

export type SqlName = keyof typeof SQL;
