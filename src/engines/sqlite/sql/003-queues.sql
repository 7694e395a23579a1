-- Queues with their exact counters, which the store keeps in memory and writes once per transaction.

CREATE TABLE queues (
  number           INTEGER PRIMARY KEY,      -- 0..65535 in order of creation, never reused; stamped into task ids
  name             TEXT    NOT NULL UNIQUE,
  overrides        TEXT    NOT NULL,         -- JSON, Partial<QueueSettings>
  settings_version INTEGER NOT NULL,
  paused           TEXT,                     -- JSON {since, by, reason}
  epoch            INTEGER NOT NULL,
  tat              REAL,                     -- rate limit (GCRA): theoretical arrival time
  clocks           TEXT    NOT NULL,         -- JSON [[time, nextOrd] x 10], the tenants' turns by priority
  queued           INTEGER NOT NULL,
  running          INTEGER NOT NULL,
  scheduled        INTEGER NOT NULL,
  retrying         INTEGER NOT NULL,
  dead             INTEGER NOT NULL,         -- letters in the DLQ now
  dlq_dropped      INTEGER NOT NULL,
  waiting_bytes    INTEGER NOT NULL,
  running_bytes    INTEGER NOT NULL,
  accepted         INTEGER NOT NULL,
  redriven         INTEGER NOT NULL,
  succeeded        INTEGER NOT NULL,
  failed           INTEGER NOT NULL,
  dead_lettered    INTEGER NOT NULL,
  cancelled        INTEGER NOT NULL,
  expired          INTEGER NOT NULL
) STRICT;

-- A waiting line with its place in the order of turns (core/lane.ts). Deleted when empty.
CREATE TABLE lines (
  line     INTEGER PRIMARY KEY,
  queue    INTEGER NOT NULL,
  epoch    INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  tenant   TEXT    NOT NULL,
  queued   INTEGER NOT NULL,
  pass     INTEGER NOT NULL,
  ord      INTEGER NOT NULL
) STRICT;

-- When an epoch ended; kept until the last of its tasks is swept.
CREATE TABLE purges (
  queue INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  at    INTEGER NOT NULL,
  PRIMARY KEY (queue, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE workers (
  id         TEXT PRIMARY KEY,
  started_at INTEGER NOT NULL,
  beat_at    INTEGER NOT NULL,
  beat       TEXT    NOT NULL                -- JSON, WorkerBeat
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  number    INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  principal TEXT    NOT NULL,
  action    TEXT    NOT NULL,
  queue     TEXT,
  target    TEXT,
  details   TEXT    NOT NULL                 -- JSON
) STRICT;
