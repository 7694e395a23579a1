// Smart batching without timers: while one call runs, collect; then all that came goes into the next one.
// A lone item goes at once. On the embedded store 64 concurrent single submits share about 64 to a transaction.

/** `call` answers as many results as it got items, in their order. */
export class Batcher<Item, Result> {
  readonly #call: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #most: number;
  #waiting: { item: Item; done: (result: Result) => void; failed: (error: unknown) => void }[] = [];
  #busy = false;

  constructor(call: (items: readonly Item[]) => Promise<readonly Result[]>, most: number) {
    this.#call = call;
    this.#most = most;
  }

  add(item: Item): Promise<Result> {
    return new Promise((done, failed) => {
      this.#waiting.push({ item, done, failed });
      if (!this.#busy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        const results = await this.#call(batch.map(({ item }) => item));
        batch.forEach(({ done }, index) => {
          done(results[index] as Result);
        });
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#busy = false;
  }
}
