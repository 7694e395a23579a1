// The port over the state: each call runs as one synchronous step, then tells its events and wakes who waits.
import type { Instant, Task } from '../../core/task.ts';
import type { Capabilities } from '../../engine/capabilities.ts';
import { EngineError } from '../../engine/errors.ts';
import type * as messages from '../../engine/messages.ts';
import type { Engine, Unsubscribe } from '../../engine/port.ts';
import type * as records from '../../engine/records.ts';
import * as control from './control.ts';
import * as leases from './leases.ts';
import * as passes from './passes.ts';
import * as queries from './queries.ts';
import { reserve } from './reserve.ts';
import type { State } from './state.ts';
import { replay, submit } from './submit.ts';
import { beat, listWorkers } from './workers.ts';

type Call = messages.Call;
type Listener = (events: readonly records.TaskEvent[]) => void;

interface Watcher {
  readonly queues: ReadonlySet<string>;
  readonly wake: () => void;
}

export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly capabilities: Capabilities = {
    durable: false,
    shared: false,
    watch: true,
    transactional: false,
  };
  readonly #state: State;
  readonly #clock: (() => Instant) | null;
  readonly #listeners = new Set<{ readonly listener: Listener }>();
  readonly #watchers = new Set<Watcher>();
  #isOpen = false;
  #latest: Instant = 0;

  constructor(state: State, clock: (() => Instant) | null) {
    this.#state = state;
    this.#clock = clock;
  }

  async open(): Promise<void> {
    this.#isOpen = true;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#listeners.clear();
    this.#watchers.clear();
  }

  async now(): Promise<Instant> {
    this.#assertOpen();
    return this.#clock?.() ?? this.#latest;
  }

  async probe(call: Call) {
    return this.#run(call, () => undefined);
  }

  async submit(batch: readonly messages.NewTask[], call: Call) {
    return this.#run(call, (state) => submit(state, batch, call));
  }

  async replay(batch: readonly messages.ReplayQuery[], call: Call) {
    return this.#run(call, (state) => replay(state, batch, call));
  }

  async reserve(want: messages.ReserveRequest, call: Call) {
    return this.#run(call, (state) => reserve(state, want, call));
  }

  async extend(batch: readonly messages.Extend[], call: Call) {
    return this.#run(call, (state) => leases.extend(state, batch, call));
  }

  async settle(batch: readonly messages.Settlement[], call: Call) {
    return this.#run(call, (state) => leases.settle(state, batch, call));
  }

  async promote(limit: number, call: Call) {
    return this.#run(call, (state) => passes.promote(state, limit, call));
  }

  async reap(want: Parameters<Engine['reap']>[0], call: Call) {
    return this.#run(call, (state) => leases.reap(state, want, call));
  }

  async expire(limit: number, call: Call) {
    return this.#run(call, (state) => passes.expire(state, limit, call));
  }

  async prune(limit: number, call: Call) {
    return this.#run(call, (state) => passes.prune(state, limit, call));
  }

  async cancel(ids: readonly string[], call: Call) {
    return this.#run(call, (state) => control.cancel(state, ids, call));
  }

  async redrive(pick: messages.RedrivePick, call: Call) {
    return this.#run(call, (state) => control.redrive(state, pick, call));
  }

  async discard(ids: readonly string[], call: Call) {
    return this.#run(call, (state) => control.discard(state, ids, call));
  }

  async purge(queue: string, call: Call) {
    return this.#run(call, (state) => control.purge(state, queue, call));
  }

  async configure(change: records.ConfigureChange, call: Call) {
    return this.#run(call, (state) => control.configure(state, change, call));
  }

  async get(ids: readonly string[], call: Call): Promise<readonly (Task | null)[]> {
    return this.#run(call, (state) => queries.get(state, ids));
  }

  async list(query: records.TaskQuery, call: Call) {
    return this.#run(call, (state) => queries.list(state, query));
  }

  async listDead(query: records.DeadQuery, call: Call) {
    return this.#run(call, (state) => queries.listDead(state, query));
  }

  async load(queues: readonly string[], call: Call) {
    return this.#run(call, (state) => queries.load(state, queues));
  }

  async queues(query: Parameters<Engine['queues']>[0], call: Call) {
    return this.#run(call, (state) => queries.queues(state, query));
  }

  readonly workers: Engine['workers'] = {
    beat: async (report, call) => this.#run(call, (state) => beat(state, report, call)),
    list: async (call) => this.#run(call, listWorkers),
  };

  readonly audit: Engine['audit'] = {
    append: async (entries, call) => this.#run(call, (state) => queries.appendAudit(state, entries)),
    list: async (query, call) => this.#run(call, (state) => queries.listAudit(state, query)),
  };

  async publish(events: readonly records.TaskEvent[], call: Call): Promise<void> {
    this.#run(call, (state) => {
      state.events.push(...events);
    });
  }

  async subscribe(listener: Listener): Promise<Unsubscribe> {
    this.#assertOpen();
    const row = { listener };
    this.#listeners.add(row);
    return async () => {
      this.#listeners.delete(row);
    };
  }

  async watch(queues: readonly string[], wake: () => void): Promise<Unsubscribe> {
    this.#assertOpen();
    const watcher = { queues: new Set(queues), wake };
    this.#watchers.add(watcher);
    return async () => {
      this.#watchers.delete(watcher);
    };
  }

  #assertOpen(): void {
    if (!this.#isOpen) throw new EngineError('CLOSED', 'the engine is not open');
  }

  #run<T>({ at }: Call, step: (state: State) => T): T {
    this.#assertOpen();
    this.#latest = Math.max(this.#latest, at);
    const result = step(this.#state);
    this.#tell();
    this.#wake();
    return result;
  }

  #tell(): void {
    const { events } = this.#state;
    if (events.length === 0) return;
    this.#state.events = [];
    for (const { listener } of this.#listeners) listener(events);
  }

  #wake(): void {
    const { woken } = this.#state;
    if (woken.size === 0) return;
    const names = [...woken];
    woken.clear();
    for (const watcher of this.#watchers) {
      if (!names.some((name) => watcher.queues.has(name))) continue;
      // After the caller has its answer: a watcher may call the engine at once.
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.wake();
      });
    }
  }
}
