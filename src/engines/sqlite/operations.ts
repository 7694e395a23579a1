// The calls that cross into the thread, by name: what runs there, and whether it needs a transaction.
import type { Call } from '../../engine/messages.ts';
import { unpackSettle, unpackSubmit } from './call-packing.ts';
import type { SqliteStore } from './sqlite-store.ts';

type Step = (store: SqliteStore, input: never, call: Call) => unknown;

const step = <I, O>(run: (store: SqliteStore, input: I, call: Call) => O) => run;

const READS = {
  now: step((store) => store.now()),
  replay: step((store, batch: Parameters<SqliteStore['replay']>[0], call) => store.replay(batch, call)),
  get: step((store, ids: readonly string[]) => store.get(ids)),
  list: step((store, query: Parameters<SqliteStore['list']>[0]) => store.list(query)),
  listDead: step((store, query: Parameters<SqliteStore['listDead']>[0]) => store.listDead(query)),
  load: step((store, names: readonly string[]) => store.load(names)),
  queues: step((store, query: Parameters<SqliteStore['queues']>[0]) => store.queues(query)),
  listWorkers: step((store) => store.listWorkers()),
  listAudit: step((store, query: Parameters<SqliteStore['listAudit']>[0]) => store.listAudit(query)),
  listen: step((store, wanted: boolean) => store.listen(wanted)),
};

const WRITES = {
  probe: step((store, _input: null) => store.probe()),
  submit: step((store, batch: Parameters<typeof unpackSubmit>[0], call) =>
    store.submit(unpackSubmit(batch), call),
  ),
  reserve: step((store, want: Parameters<SqliteStore['reserve']>[0], call) => store.reserve(want, call)),
  extend: step((store, batch: Parameters<SqliteStore['extend']>[0], call) => store.extend(batch, call)),
  settle: step((store, batch: string, call) => store.settle(unpackSettle(batch), call)),
  promote: step((store, limit: number, call) => store.promote(limit, call)),
  reap: step((store, want: Parameters<SqliteStore['reap']>[0], call) => store.reap(want, call)),
  expire: step((store, limit: number, call) => store.expire(limit, call)),
  prune: step((store, limit: number, call) => store.prune(limit, call)),
  cancel: step((store, ids: readonly string[], call) => store.cancel(ids, call)),
  redrive: step((store, pick: Parameters<SqliteStore['redrive']>[0], call) => store.redrive(pick, call)),
  discard: step((store, ids: readonly string[], call) => store.discard(ids, call)),
  purge: step((store, queue: string, call) => store.purge(queue, call)),
  configure: step((store, change: Parameters<SqliteStore['configure']>[0], call) =>
    store.configure(change, call),
  ),
  beat: step((store, report: Parameters<SqliteStore['beat']>[0], call) => store.beat(report, call)),
  appendAudit: step((store, entries: Parameters<SqliteStore['appendAudit']>[0]) =>
    store.appendAudit(entries),
  ),
  publish: step((store, events: Parameters<SqliteStore['publish']>[0]) => store.publish(events)),
};

const ALL = { ...READS, ...WRITES };

type Operations = typeof ALL;
export type OperationName = keyof Operations;
export type Input<N extends OperationName> = Parameters<Operations[N]>[1];
export type Output<N extends OperationName> = ReturnType<Operations[N]>;

export function isRead(name: OperationName): boolean {
  return name in READS;
}

export function run(store: SqliteStore, name: OperationName, input: unknown, call: Call): unknown {
  const operation: Step = ALL[name];
  return operation(store, input as never, call);
}
