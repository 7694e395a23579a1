-- Tasks and the narrow tables that say what may happen to them next.
--
-- A task is three rows at most: `tasks` (narrow, changes), `bodies` (wide, never changes) and `results`. Updates so
-- rewrite a hundred bytes, not the payload. All keys are integers that grow at the right edge: a small commit then
-- writes few pages. No payload is in an index; the one text index is the id's, whose text order is creation order.
--
-- status: 0 scheduled, 1 queued, 2 running, 3 retrying, 4 succeeded, 5 failed, 6 dead_lettered, 7 cancelled, 8 expired.
-- 2 is never stored: a task runs while it has a row in `leases`, so that a reservation writes there only.
-- Waiting rows (0, 1, 3) whose epoch is older than their queue's were purged; `prune` sweeps them later.
-- Times are whole milliseconds since 1970 on the store's clock.
CREATE TABLE tasks (
  seq           INTEGER PRIMARY KEY,
  id            TEXT    NOT NULL UNIQUE,
  queue         INTEGER NOT NULL,            -- queues.number
  type          TEXT    NOT NULL,
  priority      INTEGER NOT NULL,
  tenant        TEXT    NOT NULL,
  bytes         INTEGER NOT NULL,            -- payload + metadata
  created_at    INTEGER NOT NULL,
  key           INTEGER,                     -- keys.key, while this task holds one
  status        INTEGER NOT NULL,
  epoch         INTEGER NOT NULL,
  generation    INTEGER NOT NULL DEFAULT 1,
  deliveries    INTEGER NOT NULL DEFAULT 0,  -- settled ones of this generation; a live lease is one more
  given_back    INTEGER NOT NULL DEFAULT 0,  -- released + deferred
  losses        INTEGER NOT NULL DEFAULT 0,
  token         INTEGER NOT NULL DEFAULT 0,  -- n of the last settled token; a live lease has a higher one
  line          INTEGER,                     -- while queued: its place in `ready`
  pos           INTEGER,
  available_at  INTEGER NOT NULL,
  started_at    INTEGER,
  finished_at   INTEGER,
  retain_from   INTEGER,                     -- once final and out of the DLQ: since when it is kept
  expires_at    INTEGER,
  unknown_since INTEGER,
  cancel_asked  INTEGER NOT NULL DEFAULT 0,
  cancel_reason TEXT,                        -- requested, purged
  dead_reason   TEXT,
  dead_at       INTEGER,
  in_dlq        INTEGER NOT NULL DEFAULT 0,
  progress      TEXT,                        -- JSON {percent, message}
  last_error    TEXT,                        -- JSON {name, message, retryable}
  history       TEXT                         -- JSON, the last 20 attempts, see history.ts
) STRICT;
CREATE INDEX finished ON tasks (queue, retain_from) WHERE retain_from IS NOT NULL;

-- What the submitter fixed once and for all.
CREATE TABLE bodies (
  seq           INTEGER PRIMARY KEY,
  client        TEXT    NOT NULL,            -- the principal that submitted
  key_name      TEXT,
  ttl_ms        INTEGER,
  max_attempts  INTEGER NOT NULL,
  timeout_ms    INTEGER NOT NULL,
  rest          TEXT,                        -- JSON [retry, input, traceparent, tracestate], null where all are null
  metadata      TEXT    NOT NULL,
  payload       TEXT    NOT NULL
) STRICT;

CREATE TABLE results (
  seq    INTEGER PRIMARY KEY,
  result TEXT NOT NULL
) STRICT;

-- A live lease. Its token is `token || '.' || nonce`.
CREATE TABLE leases (
  seq        INTEGER PRIMARY KEY,
  queue      INTEGER NOT NULL,
  token      INTEGER NOT NULL,
  nonce      TEXT    NOT NULL,
  worker     TEXT    NOT NULL,               -- who reserved it; stays when a reaper takes the lease over
  started_at INTEGER NOT NULL,
  until      INTEGER NOT NULL,
  request    INTEGER,                        -- requests.request; null: given by a reap
  progress   TEXT,                           -- of this delivery; goes to the task when it ends
  loss_told  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX lease_ends ON leases (queue, until);

-- The leases that one reserve call gave, while any of them lives.
CREATE TABLE requests (
  request INTEGER PRIMARY KEY,
  name    TEXT    NOT NULL UNIQUE,
  live    INTEGER NOT NULL,
  seqs    TEXT    NOT NULL                   -- JSON array, in the order given
) STRICT;

CREATE TABLE keys (
  key         INTEGER PRIMARY KEY,
  queue       INTEGER NOT NULL,
  client      TEXT    NOT NULL,
  name        TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  held_until  INTEGER NOT NULL,
  id          TEXT    NOT NULL,
  seq         INTEGER,                       -- null once the record was pruned; then last_status answers
  last_status INTEGER,
  UNIQUE (queue, client, name)
) STRICT;
