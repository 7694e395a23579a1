// The rows of tasks that were reserved lately, so that their settlement need not read them again: half of what a settle
// would cost. Every change to a leased task goes through the same object, so it cannot go stale. Bounded: beyond the bound
// the oldest is let go and read from the table when it is needed.
import type { TaskRow } from './task-row.ts';

const ROWS_MAX = 4_096;

export class LeasedRows {
  readonly #rows = new Map<string, TaskRow>();
  readonly #max: number;

  constructor(max = ROWS_MAX) {
    this.#max = max;
  }

  get(id: string): TaskRow | undefined {
    return this.#rows.get(id);
  }

  add(task: TaskRow): void {
    this.#rows.set(task.id, task);
    if (this.#rows.size <= this.#max) return;
    const [oldest] = this.#rows.keys();
    if (oldest !== undefined) this.#rows.delete(oldest);
  }

  remove(task: TaskRow): void {
    this.#rows.delete(task.id);
  }

  clear(): void {
    this.#rows.clear();
  }
}
