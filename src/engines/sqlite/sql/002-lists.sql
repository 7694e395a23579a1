-- The ordered lists over tasks. Each is a narrow b-tree without rowid: the row is its key. Two more are indexes in
-- 001-tasks.sql: the ends of leases and the finished records.

-- Waiting lines: one `line` per (queue, priority, tenant) and epoch. pos grows at the tail, sinks at the head.
-- It carries what a pick needs to know, so that no task row is read before it is taken.
CREATE TABLE ready (
  line         INTEGER NOT NULL,
  pos          INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  expires_at   INTEGER,
  deliveries   INTEGER NOT NULL,
  PRIMARY KEY (line, pos)
) STRICT, WITHOUT ROWID;

-- The time lists have one shape: (list, at, seq). In `schedule` and `expiring`, list = epoch * 65536 + queue number, so
-- that a purge empties them by raising the epoch; in the others, list = queue number.

-- Scheduled and retrying tasks by when they are due.
CREATE TABLE schedule (
  list INTEGER NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (list, at, seq)
) STRICT, WITHOUT ROWID;

-- Waiting tasks with a time to live by when it ends.
CREATE TABLE expiring (
  list INTEGER NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (list, at, seq)
) STRICT, WITHOUT ROWID;

-- Results by when their retention began.
CREATE TABLE result_ends (
  list INTEGER NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (list, at, seq)
) STRICT, WITHOUT ROWID;

-- Dead letters in the DLQ by when they died; also over all queues.
CREATE TABLE dead (
  list INTEGER NOT NULL, at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (list, at, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_of_all_queues ON dead (at, seq);

-- Keys whose task has ended, by when they lapse.
CREATE TABLE lapsing (
  held_until INTEGER NOT NULL,
  key        INTEGER NOT NULL,
  PRIMARY KEY (held_until, key)
) STRICT, WITHOUT ROWID;
