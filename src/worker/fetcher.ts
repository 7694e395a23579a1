// Asks the store for as many tasks as there is room for: at most two calls at a time, so that one batch runs while
// the next is fetched. Sleeps when a queue is dry, until a wake, the store's hint, or a poll that backs off.
import { EngineError } from '../engine/errors.ts';
import type { Call, Lease, ReserveReply, ReserveRequest } from '../engine/messages.ts';
import type { Unsubscribe } from '../engine/port.ts';
import type { WorkSource } from '../engine/slices.ts';
import { Backoff } from './backoff.ts';
import type { Cancel, WorkerEnv } from './env.ts';

/** Larger batches gain little, and hold back tasks that another worker could start. */
const ASK_MAX = 32;
const CALLS_MAX = 2;
/** Below this much room one call takes it all. */
const SPLIT_FROM = 16;
const POLL_FIRST_MS = 5;
const POLL_MAX_MS = 1_000;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 5_000;

export interface FetcherAbout {
  readonly source: Pick<WorkSource, 'reserve' | 'watch'>;
  readonly env: WorkerEnv;
  readonly workerId: string;
  readonly queues: ReserveRequest['queues'];
  readonly leaseMs: number | null;
  readonly call: () => Call;
  /** How many more leases may be held now, calls in flight not counted. */
  readonly room: () => number;
  readonly onLeases: (leases: readonly Lease[], at: number) => void;
}

export class Fetcher {
  readonly #about: FetcherAbout;
  readonly #backoff: Backoff;
  #calls = new Set<Promise<void>>();
  #asked = 0;
  #planned = false;
  #stopped = false;
  /** Set by a wake; a reply asked for before it says nothing about what the wake was for. */
  #woken = false;
  #sleep: Cancel | null = null;
  #pollMs = POLL_FIRST_MS;
  #unwatch: Unsubscribe | null = null;

  constructor(about: FetcherAbout) {
    this.#about = about;
    this.#backoff = new Backoff(about.env, RETRY_FIRST_MS, RETRY_MAX_MS);
  }

  /** A store that cannot be watched is polled. */
  async start(): Promise<void> {
    this.kick();
    const names = this.#about.queues.map((queue) => queue.name);
    try {
      this.#unwatch = await this.#about.source.watch(names, () => this.#wake());
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      this.#about.env.log('warn', 'cannot watch the queues; polling instead', { error });
    }
    if (this.#stopped) await this.#unwatch?.();
  }

  /** There may be room now. Many kicks in one go make one round of calls. */
  kick(): void {
    if (this.#planned || this.#stopped || this.#sleep !== null) return;
    this.#planned = true;
    this.#about.env.timers.soon(() => {
      this.#planned = false;
      this.#ask();
    });
  }

  /** Asks for nothing more; resolves when the calls in flight have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sleep?.();
    this.#sleep = null;
    this.#backoff.cut();
    await Promise.all([...this.#calls, this.#unwatch?.().catch(() => undefined)]);
  }

  #wake(): void {
    this.#woken = true;
    this.#pollMs = POLL_FIRST_MS;
    this.#sleep?.();
    this.#sleep = null;
    this.kick();
  }

  #ask(): void {
    while (!this.#stopped && this.#sleep === null && this.#calls.size < CALLS_MAX) {
      const room = this.#about.room() - this.#asked;
      if (room <= 0) return;
      const share = room > SPLIT_FROM && this.#calls.size === 0 ? Math.ceil(room / 2) : room;
      const call = this.#fetch(Math.min(ASK_MAX, share));
      this.#calls.add(call);
      void call.then(() => {
        this.#calls.delete(call);
        this.kick();
      });
    }
  }

  async #fetch(max: number): Promise<void> {
    this.#asked += max;
    this.#woken = false;
    const reply = await this.#reserve(max);
    this.#asked -= max;
    if (reply === null) return;
    this.#about.onLeases(reply.leases, reply.at);
    if (reply.leases.length > 0) this.#pollMs = POLL_FIRST_MS;
    if (reply.leases.length < max && !this.#woken && !this.#stopped) this.#rest(reply.nextDueAt);
  }

  /** Repeats the same request while its outcome is unknown, so that a lost reply loses no leases. */
  async #reserve(max: number): Promise<(ReserveReply & { readonly at: number }) | null> {
    const { source, env, workerId, queues, leaseMs, call } = this.#about;
    const want: ReserveRequest = {
      workerId,
      requestId: env.nonce(),
      nonce: env.nonce(),
      queues,
      max,
      leaseMs,
    };
    for (;;) {
      const about = call();
      try {
        const reply = await source.reserve(want, about);
        this.#backoff.reset();
        return { ...reply, at: about.at };
      } catch (thrown) {
        if (thrown instanceof EngineError && thrown.code === 'CLOSED') this.#stopped = true;
        if (this.#stopped) return null;
        await this.#backoff.wait('reserve', thrown);
        if (this.#stopped) return null;
      }
    }
  }

  #rest(nextDueAt: number | null): void {
    if (this.#sleep !== null) return;
    const { env } = this.#about;
    const poll = this.#pollMs * (0.75 + env.random() / 2);
    this.#pollMs = Math.min(POLL_MAX_MS, this.#pollMs * 2);
    const dueIn = nextDueAt === null ? poll : nextDueAt - env.now();
    // A due time in the past is work that something else (a promotion, a reap) must move first: poll for it.
    const delay = dueIn > 0 ? Math.min(poll, dueIn) : poll;
    this.#sleep = env.timers.after(delay, () => {
      this.#sleep = null;
      this.kick();
    });
  }
}
