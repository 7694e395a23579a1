// The port on the caller's side: packs calls, has them carried to the store (courier.ts), unpacks answers, and tells
// events and wakes once they are committed.
import type { Instant, Task } from '../../core/task.ts';
import type { Capabilities } from '../../engine/capabilities.ts';
import type * as messages from '../../engine/messages.ts';
import type { Engine, Unsubscribe } from '../../engine/port.ts';
import type * as records from '../../engine/records.ts';
import { packSettle, packSubmit } from './call-packing.ts';
import type { Channel } from './channel.ts';
import { Courier } from './courier.ts';
import { unpackLeases, unpackTasks } from './packing.ts';

type Call = messages.Call;
type Listener = (events: readonly records.TaskEvent[]) => void;

interface Watcher {
  readonly queues: ReadonlySet<string>;
  readonly wake: () => void;
}

const NOBODY: Call = { at: 0, principal: 'anonymous' };

export class SqliteEngine implements Engine {
  readonly name = 'sqlite';
  readonly capabilities: Capabilities;
  readonly #courier: Courier;
  readonly #listeners = new Set<{ readonly listener: Listener }>();
  readonly #watchers = new Set<Watcher>();

  constructor(channel: Channel, about: { readonly durable: boolean }) {
    this.capabilities = { durable: about.durable, shared: false, watch: true, transactional: false };
    this.#courier = new Courier(channel, ({ events, woken }) => {
      if (events.length > 0) for (const { listener } of this.#listeners) listener(events);
      if (woken.length > 0) this.#wake(woken);
    });
  }

  async open(): Promise<void> {
    await this.#courier.open();
  }

  async close(): Promise<void> {
    await this.#courier.close();
    this.#listeners.clear();
    this.#watchers.clear();
  }

  async now(): Promise<Instant> {
    return this.#courier.call('now', null, NOBODY);
  }

  async submit(batch: readonly messages.NewTask[], call: Call) {
    if (batch.length === 0) return this.#nothing();
    return this.#courier.call('submit', packSubmit(batch), call, batch.length);
  }

  async replay(batch: readonly messages.ReplayQuery[], call: Call) {
    if (batch.length === 0) return this.#nothing();
    return this.#courier.call('replay', batch, call, batch.length);
  }

  async reserve(want: messages.ReserveRequest, call: Call): Promise<messages.ReserveReply> {
    const packed = await this.#courier.call('reserve', want, call, want.max);
    return { leases: unpackLeases(packed), nextDueAt: packed.nextAt };
  }

  async extend(batch: readonly messages.Extend[], call: Call) {
    if (batch.length === 0) return this.#nothing();
    return this.#courier.call('extend', batch, call, batch.length);
  }

  async settle(batch: readonly messages.Settlement[], call: Call) {
    if (batch.length === 0) return this.#nothing();
    return this.#courier.call('settle', packSettle(batch), call, batch.length);
  }

  async probe(call: Call) {
    return this.#courier.call('probe', null, call);
  }

  async promote(limit: number, call: Call) {
    return this.#courier.call('promote', limit, call, limit);
  }

  async reap(want: Parameters<Engine['reap']>[0], call: Call): Promise<messages.ReapReply> {
    const packed = await this.#courier.call('reap', want, call, want.max);
    const leases = unpackLeases(packed).map((lease, i) => ({
      ...lease,
      lostBy: packed.lostBy[i] ?? '',
      startedAt: packed.startedAt[i] ?? 0,
    }));
    return { leases, nextAt: packed.nextAt };
  }

  async expire(limit: number, call: Call) {
    return this.#courier.call('expire', limit, call, limit);
  }

  async prune(limit: number, call: Call) {
    return this.#courier.call('prune', limit, call, limit);
  }

  async cancel(ids: readonly string[], call: Call) {
    if (ids.length === 0) return this.#nothing();
    return this.#courier.call('cancel', ids, call, ids.length);
  }

  async redrive(pick: messages.RedrivePick, call: Call) {
    if (pick.ids.length === 0) return this.#nothing();
    return this.#courier.call('redrive', pick, call, pick.ids.length);
  }

  async discard(ids: readonly string[], call: Call) {
    if (ids.length === 0) return this.#nothing();
    return this.#courier.call('discard', ids, call, ids.length);
  }

  async purge(queue: string, call: Call) {
    return this.#courier.call('purge', queue, call);
  }

  async configure(change: records.ConfigureChange, call: Call) {
    return this.#courier.call('configure', change, call);
  }

  async get(ids: readonly string[], call: Call): Promise<readonly (Task | null)[]> {
    if (ids.length === 0) return this.#nothing();
    const { tasks, found } = await this.#courier.call('get', ids, call, ids.length);
    const there = unpackTasks(tasks)[Symbol.iterator]();
    return found.map((is) => (is ? (there.next().value ?? null) : null));
  }

  async list(query: records.TaskQuery, call: Call): Promise<records.Page<Task>> {
    const { tasks, next } = await this.#courier.call('list', query, call);
    return { items: unpackTasks(tasks), next };
  }

  async listDead(query: records.DeadQuery, call: Call): Promise<records.Page<Task>> {
    const { tasks, next } = await this.#courier.call('listDead', query, call);
    return { items: unpackTasks(tasks), next };
  }

  async load(queues: readonly string[], call: Call) {
    if (queues.length === 0) return this.#nothing();
    return this.#courier.call('load', queues, call);
  }

  async queues(query: Parameters<Engine['queues']>[0], call: Call) {
    return this.#courier.call('queues', query, call);
  }

  readonly workers: Engine['workers'] = {
    beat: async (report, call) => this.#courier.call('beat', report, call),
    list: async (call) => this.#courier.call('listWorkers', null, call),
  };

  readonly audit: Engine['audit'] = {
    append: async (entries, call) => {
      this.#courier.assertOpen();
      if (entries.length > 0) await this.#courier.call('appendAudit', entries, call);
    },
    list: async (query, call) => this.#courier.call('listAudit', query, call),
  };

  async publish(events: readonly records.TaskEvent[], call: Call): Promise<void> {
    this.#courier.assertOpen();
    if (events.length > 0) await this.#courier.call('publish', events, call);
  }

  async subscribe(listener: Listener): Promise<Unsubscribe> {
    const row = { listener };
    this.#listeners.add(row);
    await this.#courier.call('listen', true, NOBODY);
    return async () => {
      const was = this.#listeners.delete(row);
      if (was && this.#listeners.size === 0 && this.#courier.isOpen) {
        await this.#courier.call('listen', false, NOBODY);
      }
    };
  }

  async watch(queues: readonly string[], wake: () => void): Promise<Unsubscribe> {
    this.#courier.assertOpen();
    const watcher = { queues: new Set(queues), wake };
    this.#watchers.add(watcher);
    return async () => {
      this.#watchers.delete(watcher);
    };
  }

  #wake(woken: readonly string[]): void {
    for (const watcher of this.#watchers) {
      if (woken.some((name) => watcher.queues.has(name))) watcher.wake();
    }
  }

  async #nothing(): Promise<never[]> {
    this.#courier.assertOpen();
    return [];
  }
}
