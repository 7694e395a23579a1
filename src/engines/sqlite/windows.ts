// Windows on the heads of lines, for the length of one reserve call: rows are read in batches and, once taken, deleted
// by one range delete per line. Nothing joins a line meanwhile, so a window cannot go stale.
import type { Line, ReadyRow } from './lines.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';

interface Window {
  readonly rows: readonly ReadyRow[];
  taken: number;
}

export class Windows {
  readonly #store: Store;
  readonly #open = new Map<Line, Window>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The line's first row. `want`: how many this queue may still give, which sizes the window. */
  head(queue: QueueState, line: Line, want: number): ReadyRow | null {
    const open = this.#open.get(line);
    if (open && open.taken < open.rows.length) return open.rows[open.taken] ?? null;
    // One row more than a fair part of the wish: the head that is left is known without another look.
    const size = Math.ceil(want / queue.lines.size) + 1;
    return this.#read(line, size).rows[0] ?? null;
  }

  /** The head that `head` gave starts: the turn moves on. */
  take(queue: QueueState, line: Line): void {
    const open = this.#open.get(line);
    if (open === undefined) return;
    open.taken += 1;
    const next = open.rows[open.taken] ?? (line.queued > 1 ? this.#read(line, 2).rows[0] : undefined);
    queue.lines.taken(line, next ?? null);
  }

  /** Takes what was taken out of the table. */
  close(): void {
    for (const [line, window] of this.#open) this.#remove(line, window);
    this.#open.clear();
  }

  #read(line: Line, size: number): Window {
    const open = this.#open.get(line);
    if (open) this.#remove(line, open);
    const rows = this.#store.sql.readyHead.all(line.id, size) as [
      number,
      number,
      number,
      number | null,
      number,
    ][];
    const window: Window = {
      rows: rows.map(([pos, seq, availableAt, expiresAt, deliveries]) => ({
        pos,
        seq,
        availableAt,
        expiresAt,
        deliveries,
      })),
      taken: 0,
    };
    this.#open.set(line, window);
    return window;
  }

  #remove(line: Line, { rows, taken }: Window): void {
    const last = rows[taken - 1];
    if (last) this.#store.sql.deleteReadyUpTo.run(line.id, last.pos);
  }
}
