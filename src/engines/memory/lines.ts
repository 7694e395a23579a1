// The waiting lines of one queue: one per (priority, tenant), and the book that says whose head is next.
import { IndexedHeap } from '../../core/heap.ts';
import { OrderBook, type Pick } from '../../core/order.ts';
import type { Instant, Task } from '../../core/task.ts';

/** The part of an entry that a line looks at. */
interface Waiting {
  readonly task: Pick & { readonly availableAt: Task['availableAt'] };
  place: number;
}

export class Lines<Entry extends Waiting> {
  readonly order = new OrderBook();
  readonly #lines = new Map<string, IndexedHeap<Entry>>();
  readonly #weightOf: (tenant: string) => number;
  // Places grow at the tail and sink below zero at the head; they are compared inside one line only.
  #tail = 0;
  #head = 0;

  constructor(weightOf: (tenant: string) => number) {
    this.#weightOf = weightOf;
  }

  join(entry: Entry, end: 'head' | 'tail'): void {
    entry.place = end === 'tail' ? ++this.#tail : --this.#head;
    const line = this.#line(entry.task);
    line.add(entry);
    if (line.peek() === entry) this.#tellHead(entry.task);
  }

  /** Out of the middle, or from the head without a start: no turn is spent. */
  leave(entry: Entry): void {
    const line = this.#line(entry.task);
    if (!line.has(entry)) return;
    const wasHead = line.peek() === entry;
    line.remove(entry);
    if (wasHead) this.#tellHead(entry.task);
    this.#dropEmpty(entry.task);
  }

  headOf(pick: Pick): Entry | undefined {
    return this.#line(pick).peek();
  }

  /** The head starts: it leaves its line and its tenant's turn moves on. */
  take(pick: Pick): void {
    const line = this.#line(pick);
    const head = line.peek();
    if (head === undefined) return;
    line.remove(head);
    this.order.taken(pick, headAt(line), this.#weightOf(pick.tenant));
    this.#dropEmpty(pick);
  }

  #tellHead(pick: Pick): void {
    this.order.head(pick, headAt(this.#line(pick)), this.#weightOf(pick.tenant));
  }

  #line({ priority, tenant }: Pick): IndexedHeap<Entry> {
    const key = `${priority}${tenant}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = new IndexedHeap<Entry>((a, b) => a.place < b.place);
      this.#lines.set(key, line);
    }
    return line;
  }

  #dropEmpty({ priority, tenant }: Pick): void {
    const key = `${priority}${tenant}`;
    if (this.#lines.get(key)?.size === 0) this.#lines.delete(key);
  }
}

function headAt(line: { peek(): Waiting | undefined }): Instant | null {
  return line.peek()?.task.availableAt ?? null;
}
