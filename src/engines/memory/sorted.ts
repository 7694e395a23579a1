// A sorted array: cheap to append to at its end, to page through backwards, and to read at both ends.

export class Sorted<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  /** @param before true where a comes strictly before b; a total order over the items */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const last = this.#items.at(-1);
    // Ids and times mostly rise, so that the end is nearly always the place.
    if (last === undefined || this.#before(last, item)) this.#items.push(item);
    else this.#items.splice(this.#firstNotBefore(item), 0, item);
  }

  remove(item: T): void {
    const place = this.#firstNotBefore(item);
    if (this.#items[place] === item) this.#items.splice(place, 1);
  }

  /** From the largest down; with `below`, only what comes before it (which need not be an item). */
  *descending(below: T | null): Generator<T> {
    let place = below === null ? this.#items.length : this.#firstNotBefore(below);
    while (place > 0) {
      place -= 1;
      yield this.#items[place] as T;
    }
  }

  #firstNotBefore(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#before(this.#items[middle] as T, item)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
