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
/** Bounds how long one transaction keeps the others waiting. */
const GROUP_CALLS_MAX = 64;

interface Pending {
  readonly request: Request;
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

export class Courier {
  readonly #channel: Channel;
  readonly #tell: (news: News) => void;
  readonly #waiting: Pending[] = [];
  readonly #idle: (() => void)[] = [];
  #state: 'closed' | 'open' | 'closing' = 'closed';
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
    if (this.#state !== 'open') throw new EngineError('CLOSED', 'the engine is not open');
  }

  async open(): Promise<void> {
    if (this.#state !== 'closed') return;
    await this.#channel.open(() => {
      this.#state = 'closed';
    });
    this.#state = 'open';
  }

  async close(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'closing';
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
      this.#checkIdle();
    });
    await this.#channel.close();
    this.#state = 'closed';
  }

  call<N extends OperationName>(name: N, input: Input<N>, call: Call): Promise<Output<N>> {
    this.assertOpen();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request: { name, input, call }, resolve, reject });
      this.#post();
    });
  }

  #post(): void {
    if (this.#posting || this.#underWay >= GROUPS_UNDER_WAY) return;
    this.#posting = true;
    queueMicrotask(() => {
      this.#posting = false;
      const group = this.#waiting.splice(0, GROUP_CALLS_MAX);
      if (group.length > 0) void this.#carry(group);
      if (this.#waiting.length > 0) this.#post();
    });
  }

  async #carry(group: readonly Pending[]): Promise<void> {
    this.#underWay += 1;
    try {
      const { replies, news } = await this.#channel.send(group.map(({ request }) => request));
      this.#tell(news);
      group.forEach((pending, i) => {
        settlePromise(pending, replies[i]);
      });
    } catch (cause) {
      for (const { request, reject } of group) reject(lost(request, cause));
    }
    this.#underWay -= 1;
    this.#post();
    this.#checkIdle();
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

/** The thread went away with the call: it may have been committed just before. */
function lost({ name }: Request, cause: unknown): EngineError {
  const outcome = isRead(name) ? 'none' : 'unknown';
  return new EngineError('STORE_UNAVAILABLE', "the store's thread has ended", { outcome, cause });
}
