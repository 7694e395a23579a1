// All queues in the thread's memory, with the numbers that the next rows get: loaded at open and after a rollback,
// written by `flush` once per transaction. What is not flushed was never there: flush runs before every commit.
import type { Database, Statement } from 'better-sqlite3';
import type { QueueSettings } from '../../core/settings.ts';
import { type Instant, PRIORITIES } from '../../core/task.ts';
import type { PauseState } from '../../engine/records.ts';
import type { Line } from './lines.ts';
import { noCounts, QUEUE_COUNTERS, type QueueCounts, QueueState } from './queue-state.ts';

const COUNTER_COLUMNS = [
  'queued',
  'running',
  'scheduled',
  'retrying',
  'dead',
  'dlq_dropped',
  'waiting_bytes',
  'running_bytes',
  'accepted',
  'redriven',
  'succeeded',
  'failed',
  'dead_lettered',
  'cancelled',
  'expired',
];
const QUEUE_COLUMNS = ['overrides', 'settings_version', 'paused', 'epoch', 'tat', 'clocks'];
const ALL_COLUMNS = [...QUEUE_COLUMNS, ...COUNTER_COLUMNS];

type Value = number | string | null;

export class State {
  readonly queues = new Map<string, QueueState>();
  readonly byNumber: QueueState[] = [];
  /** Queues whose counters, lines or settings the running transaction has changed. */
  readonly changed = new Set<QueueState>();
  nextSeq = 1;
  nextKey = 1;
  nextRequest = 1;
  #nextLine = 1;
  readonly #db: Database;
  readonly #defaults: QueueSettings;
  readonly #insertQueue: Statement;
  readonly #updateQueue: Statement;
  readonly #putLine: Statement;
  readonly #deleteLine: Statement;

  constructor(db: Database, defaults: QueueSettings) {
    this.#db = db;
    this.#defaults = defaults;
    const names = ALL_COLUMNS.join(', ');
    const holes = ALL_COLUMNS.map(() => '?').join(', ');
    this.#insertQueue = db.prepare(`INSERT INTO queues (${names}, number, name) VALUES (${holes}, ?, ?)`);
    this.#updateQueue = db.prepare(
      `UPDATE queues SET ${ALL_COLUMNS.map((name) => `${name} = ?`).join(', ')} WHERE number = ?`,
    );
    this.#putLine = db.prepare(
      `INSERT INTO lines (line, queue, epoch, priority, tenant, queued, pass, ord) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (line) DO UPDATE SET queued = excluded.queued, pass = excluded.pass, ord = excluded.ord`,
    );
    this.#deleteLine = db.prepare('DELETE FROM lines WHERE line = ?');
  }

  readonly newLine = (): number => {
    const line = this.#nextLine;
    this.#nextLine += 1;
    return line;
  };

  readonly queueOf = (number: number): QueueState => {
    const queue = this.byNumber[number];
    if (queue === undefined) throw new Error(`the store has tasks of queue ${number}, but no such queue`);
    return queue;
  };

  /** A queue that is not kept yet: `keep` it once something about it is accepted. */
  draft(name: string): QueueState {
    const number = this.byNumber.length;
    return new QueueState({ name, number, defaults: this.#defaults, overrides: {}, counts: noCounts() });
  }

  keep(queue: QueueState): void {
    if (this.byNumber[queue.number] === undefined) {
      this.queues.set(queue.name, queue);
      this.byNumber.push(queue);
    }
    this.changed.add(queue);
  }

  defaults(): QueueSettings {
    return this.#defaults;
  }

  /** Writes what the transaction has changed. */
  flush(): void {
    for (const queue of this.changed) {
      this.flushLines(queue);
      const values = queueValues(queue);
      if (this.#updateQueue.run(...values).changes === 0) this.#insertQueue.run(...values, queue.name);
    }
    this.changed.clear();
  }

  flushLines(queue: QueueState): void {
    const { lines, number, epoch } = queue;
    for (const line of lines.changed) {
      const place = lines.order.place(line);
      if (line.queued === 0) this.#deleteLine.run(line.id);
      else {
        const { id, priority, tenant, queued } = line;
        this.#putLine.run(id, number, epoch, priority, tenant, queued, place?.pass ?? 0, place?.ord ?? 0);
      }
    }
    lines.changed.clear();
  }

  /** Reads everything again: at open, and after a rollback, when memory is ahead of the file. */
  load(): void {
    this.queues.clear();
    this.byNumber.length = 0;
    this.changed.clear();
    const db = this.#db;
    const rows = db
      .prepare(`SELECT ${ALL_COLUMNS.join(', ')}, number, name FROM queues ORDER BY number`)
      .raw()
      .all() as Value[][];
    for (const row of rows) {
      const queue = readQueue(row, this.#defaults);
      this.byNumber.push(queue);
      this.queues.set(queue.name, queue);
    }
    this.#loadLines(rows);
    this.#loadRunning();
    this.#loadPurges();
    this.nextSeq = this.#after('tasks', 'seq');
    this.nextKey = this.#after('keys', 'key');
    this.nextRequest = this.#after('requests', 'request');
    this.#nextLine = this.#after('lines', 'line');
  }

  #loadLines(queueRows: readonly Value[][]): void {
    const db = this.#db;
    const head = db.prepare('SELECT pos, available_at FROM ready WHERE line = ? ORDER BY pos LIMIT 1').raw();
    const tail = db.prepare('SELECT max(pos) FROM ready WHERE line = ?').pluck();
    const lines = this.byNumber.map((): Parameters<QueueState['lines']['restore']>[0][number][] => []);
    const rows = db
      .prepare('SELECT line, queue, epoch, priority, tenant, queued, pass, ord FROM lines ORDER BY line')
      .raw()
      .all() as Value[][];
    for (const row of rows) {
      const [id, number, epoch, priority, tenant, queued, pass, ord] = row as [
        ...[number, number, number, number, string, number, number, number],
      ];
      const queue = this.byNumber[number];
      if (queue === undefined || queue.epoch !== epoch) continue;
      const [pos = 0, headAt = 0] = (head.get(id) ?? []) as Instant[];
      const line: Line = { id, priority, tenant, queued, head: pos, tail: (tail.get(id) as number) ?? pos };
      lines[number]?.push({ line, place: { priority, tenant, pass, ord, headAt } });
      queue.byPriority[priority] = (queue.byPriority[priority] ?? 0) + queued;
    }
    this.byNumber.forEach((queue, i) => {
      const clocks = JSON.parse(queueRows[i]?.[QUEUE_COLUMNS.indexOf('clocks')] as string) as [
        number,
        number,
      ][];
      queue.lines.restore(
        lines[i] ?? [],
        clocks.map(([time, nextOrd]) => ({ time, nextOrd })),
      );
    });
  }

  /** Running tasks by tenant are counted: a row for each would be written twice a task to save this one pass at open. */
  #loadRunning(): void {
    const counted = this.#db
      .prepare('SELECT t.queue, t.tenant, count(*) FROM leases l JOIN tasks t ON t.seq = l.seq GROUP BY 1, 2')
      .raw()
      .all() as [number, string, number][];
    for (const [number, tenant, running] of counted) this.byNumber[number]?.runningOf.set(tenant, running);
  }

  #loadPurges(): void {
    const purges = this.#db.prepare('SELECT queue, epoch, at FROM purges').raw().all() as [
      ...[number, number, Instant],
    ][];
    for (const [number, epoch, at] of purges) this.byNumber[number]?.purges.set(epoch, at);
  }

  #after(table: string, column: string): number {
    return (
      ((this.#db.prepare(`SELECT max(${column}) FROM ${table}`).pluck().get() as number | null) ?? 0) + 1
    );
  }
}

function queueValues(queue: QueueState): Value[] {
  const { counts, lines, paused } = queue;
  const clocks = Array.from({ length: PRIORITIES }, (_, priority) => {
    const { time, nextOrd } = lines.order.laneClock(priority);
    return `[${time},${nextOrd}]`;
  });
  return [
    JSON.stringify(queue.overrides),
    queue.settingsVersion,
    paused && JSON.stringify(paused),
    queue.epoch,
    queue.tat,
    `[${clocks.join()}]`,
    ...QUEUE_COUNTERS.map((name) => counts[name]),
    queue.number,
  ];
}

function readQueue(row: readonly Value[], defaults: QueueSettings): QueueState {
  const [overrides, settingsVersion, paused, epoch, tat] = row;
  const [number, name] = row.slice(-2) as [number, string];
  const counts = noCounts();
  QUEUE_COUNTERS.forEach((counter, i) => {
    counts[counter] = row[QUEUE_COLUMNS.length + i] as number;
  });
  const queue = new QueueState({
    name,
    number,
    defaults,
    overrides: JSON.parse(overrides as string) as Partial<QueueSettings>,
    counts: counts satisfies QueueCounts,
  });
  queue.settingsVersion = settingsVersion as number;
  queue.paused = paused === null ? null : (JSON.parse(paused as string) as PauseState);
  queue.epoch = epoch as number;
  queue.tat = tat as number | null;
  return queue;
}
