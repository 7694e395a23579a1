// The task that the store's benches submit: about 512 bytes of payload, the same for every subject.
import { idMaker } from '../src/core/id.ts';
import type { Call, NewTask } from '../src/engine/messages.ts';

export const QUEUE = 'default';
const PAYLOAD_BYTES = 512;

/** A small seeded generator (Marsaglia's xorshift32): the same seed gives the same tasks. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export class TaskMaker {
  readonly #random: () => number;
  readonly #id: (at: number) => string;
  #count = 0;

  constructor(seed: number) {
    this.#random = randomOf(seed);
    this.#id = idMaker((into) => {
      for (let i = 0; i < into.length; i += 1) into[i] = Math.floor(this.#random() * 256);
    });
  }

  make(more: Partial<NewTask> = {}): NewTask {
    this.#count += 1;
    const payload = this.#payload();
    return {
      id: this.#id(now()),
      queue: QUEUE,
      type: 'noop',
      payload,
      metadata: '{}',
      bytes: payload.length + 2,
      priority: 5,
      tenant: '',
      client: 'anonymous',
      idempotencyKey: null,
      ttlMs: null,
      maxAttempts: 5,
      timeoutMs: 30_000,
      retry: null,
      input: null,
      traceparent: null,
      tracestate: null,
      runAt: null,
      fingerprint: null,
      keyHeldUntil: null,
      ...more,
    };
  }

  batch(size: number): NewTask[] {
    return Array.from({ length: size }, () => this.make());
  }

  #payload(): string {
    const head = JSON.stringify({
      id: this.#count,
      to: `user${this.#count}@example.com`,
      tags: ['a', 'b'],
      body: '',
    });
    let body = '';
    while (head.length + body.length < PAYLOAD_BYTES) body += this.#random().toString(36).slice(2);
    return `${head.slice(0, -2)}${body.slice(0, PAYLOAD_BYTES - head.length)}"}`;
  }
}

export function now(): number {
  return Math.floor(performance.timeOrigin + performance.now());
}

export function call(): Call {
  return { at: now(), principal: 'anonymous' };
}
