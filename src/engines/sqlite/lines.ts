// The waiting lines of one queue, as far as memory goes: a place in the order of turns and both ends of each line.
// The lines themselves are rows of `ready`; whoever calls here writes them.
import { OrderBook, type Pick, type StoredPlace } from '../../core/order.ts';
import { type Instant, PRIORITIES } from '../../core/task.ts';

export interface Line extends Pick {
  /** ready.line */
  readonly id: number;
  queued: number;
  /** pos of the first and of the last row; meaningful while queued > 0. */
  head: number;
  tail: number;
}

/** A row of `ready` by its place. */
interface Place {
  readonly pos: number;
  readonly availableAt: Instant;
}

/** A row of `ready`: what a pick needs to know of a task. */
export interface ReadyRow extends Place {
  readonly seq: number;
  readonly expiresAt: Instant | null;
  readonly deliveries: number;
}

export class Lines {
  readonly order = new OrderBook();
  /** By priority, then tenant. */
  readonly #lines: readonly Map<string, Line>[] = Array.from({ length: PRIORITIES }, () => new Map());
  readonly #weightOf: (tenant: string) => number;
  /** To be written at the end of the transaction; emptied lines are in it too. */
  readonly changed = new Set<Line>();

  constructor(weightOf: (tenant: string) => number) {
    this.#weightOf = weightOf;
  }

  line({ priority, tenant }: Pick): Line | undefined {
    return this.#lines[priority]?.get(tenant);
  }

  /** Lines that are not empty. */
  get size(): number {
    let size = 0;
    for (const lane of this.#lines) size += lane.size;
    return size;
  }

  queuedOf(tenant: string): number {
    let queued = 0;
    for (const lane of this.#lines) queued += lane.get(tenant)?.queued ?? 0;
    return queued;
  }

  /** A place at the end asked for; `newId` names the line where it is a new one. */
  join(
    pick: Pick,
    at: { readonly end: 'head' | 'tail'; readonly availableAt: Instant },
    newId: () => number,
  ) {
    const line = this.line(pick) ?? this.#open(pick, newId());
    const first = line.queued === 0;
    if (first) {
      line.head = 0;
      line.tail = 0;
    } else if (at.end === 'head') line.head -= 1;
    else line.tail += 1;
    line.queued += 1;
    this.changed.add(line);
    if (first || at.end === 'head') this.order.head(line, at.availableAt, this.#weightOf(line.tenant));
    return { line, pos: at.end === 'head' ? line.head : line.tail };
  }

  /** The head was started: the tenant's turn moves on. `next`: the row that is first now. */
  taken(line: Line, next: Place | null): void {
    this.#drop(line, next);
    this.order.taken(line, next?.availableAt ?? null, this.#weightOf(line.tenant));
  }

  /** The head left without a start: no turn is spent. */
  headLeft(line: Line, next: Place | null): void {
    this.#drop(line, next);
    this.order.head(line, next?.availableAt ?? null, this.#weightOf(line.tenant));
  }

  /** A row behind the head left. */
  middleLeft(line: Line): void {
    line.queued -= 1;
    this.changed.add(line);
  }

  clear(): void {
    this.order.clear();
    for (const lane of this.#lines) lane.clear();
    this.changed.clear();
  }

  restore(
    lines: readonly { readonly line: Line; readonly place: StoredPlace }[],
    clocks: readonly { readonly time: number; readonly nextOrd: number }[],
  ): void {
    for (const { line } of lines) this.#lines[line.priority]?.set(line.tenant, line);
    this.order.restore(
      lines.map(({ place }) => place),
      clocks,
    );
  }

  #open({ priority, tenant }: Pick, id: number): Line {
    const line: Line = { id, priority, tenant, queued: 0, head: 0, tail: 0 };
    this.#lines[priority]?.set(tenant, line);
    return line;
  }

  #drop(line: Line, next: Place | null): void {
    line.queued -= 1;
    this.changed.add(line);
    if (next) line.head = next.pos;
    else this.#lines[line.priority]?.delete(line.tenant);
  }
}
