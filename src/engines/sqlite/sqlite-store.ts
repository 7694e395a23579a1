// The port over one open database, every call a synchronous step of a transaction that the caller begins and commits
// (group.ts). The thread runs it; tests also run it, or a subclass with a planted bug, in their own process.
import type { Database, Statement } from 'better-sqlite3';
import type { Instant } from '../../core/task.ts';
import type * as messages from '../../engine/messages.ts';
import type { Engine } from '../../engine/port.ts';
import type * as records from '../../engine/records.ts';
import * as control from './control.ts';
import * as leases from './leases.ts';
import type { SqliteConfig } from './options.ts';
import type { PackedLeases, PackedReap } from './packing.ts';
import * as passes from './passes.ts';
import * as queries from './queries.ts';
import * as registry from './registry.ts';
import { reserve } from './reserve.ts';
import { makeStore, reload, type Statements, type Store } from './store.ts';
import { refuseOverCap, replay, submit } from './submit.ts';

type Call = messages.Call;

/** What a committed transaction has to tell. */
export interface News {
  readonly events: readonly records.TaskEvent[];
  /** Queues that may have got work. */
  readonly woken: readonly string[];
}

export class SqliteStore {
  protected readonly store: Store;
  readonly #begin: Statement;
  readonly #commit: Statement;

  constructor(db: Database, config: SqliteConfig, statements?: Statements) {
    this.store = makeStore(db, config, statements);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  begin(): void {
    this.#begin.run();
  }

  commit(): News {
    this.store.state.flush();
    this.#commit.run();
    const { events, woken } = this.store;
    this.store.events = [];
    const names = [...woken];
    woken.clear();
    return { events, woken: names };
  }

  rollback(): void {
    if (this.store.db.inTransaction) this.store.db.exec('ROLLBACK');
    reload(this.store);
  }

  /** Whether events are worth making. */
  listen(wanted: boolean): void {
    this.store.wantsEvents = wanted;
  }

  now(): Instant {
    return (this.store.sql.clock.get() as [Instant])[0];
  }

  /** Setting the version that is there already writes a page, and with it all that a commit needs. */
  probe(): void {
    const { db } = this.store;
    refuseOverCap(this.store);
    db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
  }

  submit(batch: readonly messages.NewTask[], call: Call): messages.SubmitResult[] {
    return submit(this.store, batch, call);
  }

  replay(batch: readonly messages.ReplayQuery[], call: Call): (messages.SubmitResult | null)[] {
    return replay(this.store, batch, call);
  }

  reserve(want: messages.ReserveRequest, call: Call): PackedLeases {
    return reserve(this.store, want, call);
  }

  extend(batch: readonly messages.Extend[], call: Call): messages.ExtendResult[] {
    return leases.extend(this.store, batch, call);
  }

  settle(batch: readonly messages.Settlement[], call: Call): messages.SettleResult[] {
    return leases.settle(this.store, batch, call);
  }

  promote(limit: number, call: Call): messages.PassReply {
    return passes.promote(this.store, limit, call);
  }

  reap(want: Parameters<Engine['reap']>[0], call: Call): PackedReap {
    return leases.reap(this.store, want, call);
  }

  expire(limit: number, call: Call): messages.PassReply {
    return passes.expire(this.store, limit, call);
  }

  prune(limit: number, call: Call): messages.PruneReply {
    return passes.prune(this.store, limit, call);
  }

  cancel(ids: readonly string[], call: Call): messages.CancelResult[] {
    return control.cancel(this.store, ids, call);
  }

  redrive(pick: messages.RedrivePick, call: Call): messages.RedriveResult[] {
    return control.redrive(this.store, pick, call);
  }

  discard(ids: readonly string[], call: Call): ('discarded' | 'not_found')[] {
    return control.discard(this.store, ids, call);
  }

  purge(queue: string, call: Call): { purged: number; epoch: number } {
    return control.purge(this.store, queue, call);
  }

  configure(change: records.ConfigureChange, call: Call): records.ConfigureResult {
    return control.configure(this.store, change, call);
  }

  get(ids: readonly string[]): ReturnType<typeof queries.get> {
    return queries.get(this.store, ids);
  }

  list(query: records.TaskQuery): queries.PackedPage {
    return queries.list(this.store, query);
  }

  listDead(query: records.DeadQuery): queries.PackedPage {
    return queries.listDead(this.store, query);
  }

  load(names: readonly string[]): (records.QueueLoad | null)[] {
    return queries.load(this.store, names);
  }

  queues(query: Parameters<Engine['queues']>[0]): records.Page<string> {
    return queries.queues(this.store, query);
  }

  beat(report: records.WorkerBeat, call: Call): void {
    registry.beat(this.store, report, call);
  }

  listWorkers(): records.WorkerRecord[] {
    return registry.listWorkers(this.store);
  }

  appendAudit(entries: readonly records.AuditEntry[]): void {
    registry.appendAudit(this.store, entries);
  }

  listAudit(query: Parameters<Engine['audit']['list']>[0]): records.Page<records.AuditEntry> {
    return registry.listAudit(this.store, query);
  }

  publish(events: readonly records.TaskEvent[]): void {
    if (this.store.wantsEvents) this.store.events.push(...events);
  }
}
