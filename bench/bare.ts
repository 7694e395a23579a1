// The raw limit: what better-sqlite3 does with the same row at the same durability, and nothing around it. One table with
// the engine's columns, one json_each insert per batch; a claim by index and one update that finishes and keeps the row.
import Database from 'better-sqlite3';
import type { NewTask } from '../src/engine/messages.ts';

type Durability = 'full' | 'relaxed';

const TABLE = `CREATE TABLE tasks (
  seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, queue INTEGER NOT NULL, type TEXT NOT NULL, priority INTEGER NOT NULL,
  tenant TEXT NOT NULL, bytes INTEGER NOT NULL, created_at INTEGER NOT NULL, status INTEGER NOT NULL,
  deliveries INTEGER NOT NULL, token INTEGER NOT NULL, nonce TEXT, worker TEXT, lease_until INTEGER,
  available_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, history TEXT, client TEXT NOT NULL,
  max_attempts INTEGER NOT NULL, timeout_ms INTEGER NOT NULL, metadata TEXT NOT NULL, payload TEXT NOT NULL) STRICT`;
const READY = 'CREATE INDEX ready ON tasks (queue, priority, seq) WHERE status = 1';
const INSERT = `INSERT INTO tasks (id, queue, type, priority, tenant, bytes, created_at, status, deliveries, token,
    available_at, client, max_attempts, timeout_ms, metadata, payload)
  SELECT value ->> 0, 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, ?, 1, 0, 0, ?, value ->> 5, value ->> 6,
    value ->> 7, value ->> 8, value ->> 9 FROM json_each(?)`;
const CLAIM = `UPDATE tasks SET status = 2, deliveries = deliveries + 1, token = token + 1, nonce = ?, worker = ?,
    started_at = ?, lease_until = ? WHERE seq IN
    (SELECT seq FROM tasks WHERE status = 1 AND queue = 0 AND priority = 5 ORDER BY seq LIMIT ?) RETURNING *`;
const FINISH = `UPDATE tasks SET status = 4, finished_at = ?, lease_until = NULL, history = ?
  WHERE status = 2 AND seq IN (SELECT value FROM json_each(?))`;

export class BareStore {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #claim: Database.Statement;
  readonly #finish: Database.Statement;

  /** @param forClaims with the index that a claim needs, beside the id's own */
  constructor(file: string, durability: Durability, forClaims: boolean) {
    this.#db = new Database(file);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma(`synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`);
    this.#db.pragma('cache_size = -65536');
    this.#db.exec(TABLE);
    if (forClaims) this.#db.exec(READY);
    this.#insert = this.#db.prepare(INSERT);
    this.#claim = this.#db.prepare(CLAIM);
    this.#finish = this.#db.prepare(FINISH);
  }

  insert(batch: readonly NewTask[], at: number): void {
    const rows = batch.map((task) => [
      task.id,
      task.type,
      task.priority,
      task.tenant,
      task.bytes,
      task.client,
      task.maxAttempts,
      task.timeoutMs,
      task.metadata,
      task.payload,
    ]);
    this.#insert.run(at, at, JSON.stringify(rows));
  }

  /** Claims up to `size` and finishes them: two transactions. Returns how many. */
  claimAndFinish(size: number, at: number): number {
    const claimed = this.#claim.all('0123456789abcdef', 'worker-1', at, at + 30_000, size) as {
      seq: number;
    }[];
    const history = `[[1,"worker-1",${at},${at},"succeeded",null,null,"1.0123456789abcdef"]]`;
    this.#finish.run(at, history, JSON.stringify(claimed.map(({ seq }) => seq)));
    return claimed.length;
  }

  close(): void {
    this.#db.close();
  }
}
