// The threads that read CSV files: one per import that runs, started when first needed, gone when idle for a while.
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { CsvSource } from './analyse.ts';
import type { CsvAnswer, CsvJob } from './thread.ts';

const IDLE_MS = 30_000;

export interface CsvRun {
  readonly source: CsvSource;
  /** Aborting kills the thread, whatever it does at that moment, and rejects the run. */
  readonly signal: AbortSignal;
  /** Whole percents of the bytes, rising. */
  readonly onPercent: (percent: number) => void;
}

export class CsvPool {
  readonly #maxThreads: number;
  #pool: Piscina<CsvJob, CsvAnswer> | null = null;

  /** `maxThreads` >= 1; with as many imports as that running, the next waits for a thread. */
  constructor(maxThreads: number) {
    this.#maxThreads = maxThreads;
  }

  async run({ source, signal, onPercent }: CsvRun): Promise<CsvAnswer> {
    signal.throwIfAborted();
    this.#pool ??= this.#open();
    const { port1, port2 } = new MessageChannel();
    port1.on('message', onPercent);
    try {
      return await this.#pool.run({ source, progress: port2 }, { signal, transferList: [port2] });
    } finally {
      port1.close();
    }
  }

  /** Ends the threads; runs that are still going reject. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.destroy();
  }

  #open(): Piscina<CsvJob, CsvAnswer> {
    return new Piscina<CsvJob, CsvAnswer>({
      filename: new URL('./thread.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: this.#maxThreads,
      idleTimeout: IDLE_MS,
    });
  }
}
