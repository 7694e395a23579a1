// A binary heap that can also remove and re-sort any of its items: what the lane order needs and arrays do not give.

export class IndexedHeap<T> {
  readonly #items: T[] = [];
  readonly #places = new Map<T, number>();
  readonly #before: (a: T, b: T) => boolean;

  /** @param before true where a comes strictly before b; must be a strict weak order */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  has(item: T): boolean {
    return this.#places.has(item);
  }

  add(item: T): void {
    this.#items.push(item);
    this.#places.set(item, this.#items.length - 1);
    this.#rise(this.#items.length - 1);
  }

  /** Call after an item's key has changed. */
  update(item: T): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    this.#rise(place);
    this.#sink(this.#places.get(item) ?? place);
  }

  remove(item: T): void {
    const place = this.#places.get(item);
    if (place === undefined) return;
    const last = this.#items.pop();
    this.#places.delete(item);
    if (last === undefined || last === item) return;
    this.#put(last, place);
    this.update(last);
  }

  clear(): void {
    this.#items.length = 0;
    this.#places.clear();
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#places.set(item, place);
  }

  #rise(from: number): void {
    const item = this.#items[from] as T;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#items[above] as T;
      if (!this.#before(item, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(item, place);
  }

  #sink(from: number): void {
    const item = this.#items[from] as T;
    const { length } = this.#items;
    let place = from;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= length) break;
      const right = below + 1;
      if (right < length && this.#before(this.#items[right] as T, this.#items[below] as T)) below = right;
      const child = this.#items[below] as T;
      if (!this.#before(child, item)) break;
      this.#put(child, place);
      place = below;
    }
    this.#put(item, place);
  }
}
