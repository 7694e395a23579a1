// The way from the engine to its store, and the thread at its other end.
import { Worker } from 'node:worker_threads';
import { EngineError } from '../../engine/errors.ts';
import { type Failure, fromFailure } from './failures.ts';
import type { GroupReply, Request } from './group.ts';
import type { SqliteConfig } from './options.ts';

export interface Channel {
  /** @param lost called once if the other end goes away by itself */
  open(lost: (why: Error) => void): Promise<void>;
  /** Groups are answered in the order sent. Rejects only where the other end is gone. */
  send(group: readonly Request[]): Promise<GroupReply>;
  close(): Promise<void>;
}

/** Into the thread. null: close. */
export type ToThread = readonly Request[] | null;
/** Out of it: first how opening went, then one answer per group, last that it is closed. */
export type FromThread = { readonly opened: Failure | null } | GroupReply | { readonly closed: true };

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export class ThreadChannel implements Channel {
  readonly #config: SqliteConfig;
  readonly #groups: Waiting<GroupReply>[] = [];
  #worker: Worker | null = null;

  constructor(config: SqliteConfig) {
    this.#config = config;
  }

  async open(lost: (why: Error) => void): Promise<void> {
    const entry = new URL('./thread.ts', import.meta.url);
    // Preloads of the main thread (tracing, loaders) are not for this one, but for the loader that its own source needs.
    const preloads = entry.href.endsWith('.ts') ? {} : { execArgv: [] };
    const worker = new Worker(entry, { workerData: this.#config, ...preloads });
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      const ended = (why: Error) => {
        this.#worker = null;
        reject(why);
        for (const group of this.#groups.splice(0)) group.reject(why);
        lost(why);
      };
      worker.on('error', (error) => ended(error));
      worker.on('exit', () => ended(new Error("the store's thread has ended")));
      worker.on('message', (message: FromThread) => {
        if ('replies' in message) this.#groups.shift()?.resolve(message);
        else if ('opened' in message) {
          if (message.opened) reject(fromFailure(message.opened));
          else resolve();
        }
      });
    });
  }

  send(group: readonly Request[]): Promise<GroupReply> {
    return new Promise((resolve, reject) => {
      if (this.#worker === null) {
        reject(new EngineError('STORE_UNAVAILABLE', "the store's thread has ended"));
        return;
      }
      try {
        this.#worker.postMessage(group satisfies ToThread);
        this.#groups.push({ resolve, reject });
      } catch (cause) {
        reject(new EngineError('INVALID_CALL', 'a call holds what cannot be stored', { cause }));
      }
    });
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage(null satisfies ToThread);
    await ended;
  }
}
