// Carries calls to the store in groups. What is called in one turn of the event loop goes in one group; while two groups
// are under way (one runs, one waits at the thread) further calls are collected for the next.

import { EngineError } from '../../engine/errors.ts';
import type { Call } from '../../engine/messages.ts';
import type { Channel } from './channel.ts';
import { fromFailure } from './failures.ts';
import type { Reply, Request } from './group.ts';
import { type Input, isRead, type OperationName, type Output } from './operations.ts';
import type { News } from './sqlite-store.ts';

const GROUPS_UNDER_WAY = 2;
/** Both bound how long one transaction keeps the others waiting. */
const GROUP_CALLS_MAX = 64;
const GROUP_ITEMS_MAX = 1_000;

interface Pending {
  readonly request: Request;
  readonly items: number;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export class Courier {
  readonly #channel: Channel;
  readonly #tell: (news: News) => void;
  readonly #waiting: Pending[] = [];
  readonly #idle: (() => void)[] = [];
  #state: 'closed' | 'open' | 'closing' | 'lost' = 'closed';
  #underWay = 0;
  #posting = false;

  constructor(channel: Channel, tell: (news: News) => void) {
    this.#channel = channel;
    this.#tell = tell;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  assertOpen(): void {
    if (this.#state === 'lost') throw threadEnded('none');
    if (this.#state !== 'open') throw new EngineError('CLOSED', 'the engine is not open');
  }

  async open(): Promise<void> {
    if (this.#state === 'open' || this.#state === 'closing') return;
    await this.#channel.open(() => {
      if (this.#state === 'open') this.#state = 'lost';
    });
    this.#state = 'open';
  }

  async close(): Promise<void> {
    if (this.#state === 'lost') this.#state = 'closed';
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.#checkIdle();
    });
    await this.#channel.close();
    this.#state = 'closed';
  }

  /** @param items how much work it is: of large calls, fewer go in one group */
  call<N extends OperationName>(name: N, input: Input<N>, call: Call, items = 1): Promise<Output<N>> {
    this.assertOpen();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request: { name, input, call }, items, resolve, reject });
      this.#post();
    });
  }

  #post(): void {
    if (this.#posting || this.#underWay >= GROUPS_UNDER_WAY) return;
    this.#posting = true;
    queueMicrotask(() => {
      this.#posting = false;
      const group = this.#nextGroup();
      if (group.length > 0) void this.#carry(group);
      if (this.#waiting.length > 0) this.#post();
    });
  }

  #nextGroup(): Pending[] {
    let calls = 0;
    let items = 0;
    for (const pending of this.#waiting) {
      items += pending.items;
      if (calls === GROUP_CALLS_MAX || (calls > 0 && items > GROUP_ITEMS_MAX)) break;
      calls += 1;
    }
    return this.#waiting.splice(0, calls);
  }

  async #carry(group: readonly Pending[]): Promise<void> {
    this.#underWay += 1;
    try {
      const { replies, news } = await this.#channel.send(group.map(({ request }) => request));
      this.#tellSafely(news);
      group.forEach((pending, i) => {
        settlePromise(pending, replies[i]);
      });
    } catch (cause) {
      for (const { request, reject } of group) reject(asLost(request, cause));
    }
    this.#underWay -= 1;
    this.#post();
    this.#checkIdle();
  }

  /** What a listener throws is its own: the calls were done all the same. */
  #tellSafely(news: News): void {
    try {
      this.#tell(news);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #checkIdle(): void {
    if (this.#underWay === 0 && this.#waiting.length === 0)
      for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function settlePromise({ resolve, reject }: Pending, reply: Reply | undefined): void {
  if (reply === undefined) reject(new EngineError('STORE_UNAVAILABLE', 'the store gave no answer'));
  else if ('failure' in reply) reject(fromFailure(reply.failure));
  else resolve(reply.ok as never);
}

function asLost({ name }: Request, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  // It may have been committed just before.
  return threadEnded(isRead(name) ? 'none' : 'unknown', cause);
}

function threadEnded(outcome: 'none' | 'unknown', cause?: unknown): EngineError {
  return new EngineError('STORE_UNAVAILABLE', "the store's thread has ended", { outcome, cause });
}
