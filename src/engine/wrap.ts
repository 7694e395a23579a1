// One way to stand between a caller and an engine: every call of the port passes through one function.
// Checks, metrics and fault injection are such functions; none of them knows an engine.
import type { Engine } from './port.ts';

export type Operation =
  | Exclude<keyof Engine, 'name' | 'capabilities' | 'workers' | 'audit'>
  | 'workers.beat'
  | 'workers.list'
  | 'audit.append'
  | 'audit.list';

/** Called instead of the operation; `run` does it. What it returns or throws is what the caller gets. */
export type Around = <T>(operation: Operation, args: readonly unknown[], run: () => Promise<T>) => Promise<T>;

export function wrapEngine(engine: Engine, around: Around): Engine {
  const wrap = <A extends readonly unknown[], T>(operation: Operation, run: (...args: A) => Promise<T>) => {
    return (...args: A) => around(operation, args, () => run(...args));
  };
  const { workers, audit } = engine;
  return {
    name: engine.name,
    capabilities: engine.capabilities,
    open: wrap('open', () => engine.open()),
    close: wrap('close', () => engine.close()),
    now: wrap('now', () => engine.now()),
    probe: wrap('probe', (call) => engine.probe(call)),
    submit: wrap('submit', (batch, call) => engine.submit(batch, call)),
    replay: wrap('replay', (batch, call) => engine.replay(batch, call)),
    reserve: wrap('reserve', (want, call) => engine.reserve(want, call)),
    extend: wrap('extend', (batch, call) => engine.extend(batch, call)),
    settle: wrap('settle', (batch, call) => engine.settle(batch, call)),
    promote: wrap('promote', (limit, call) => engine.promote(limit, call)),
    reap: wrap('reap', (want, call) => engine.reap(want, call)),
    expire: wrap('expire', (limit, call) => engine.expire(limit, call)),
    prune: wrap('prune', (limit, call) => engine.prune(limit, call)),
    cancel: wrap('cancel', (ids, call) => engine.cancel(ids, call)),
    redrive: wrap('redrive', (pick, call) => engine.redrive(pick, call)),
    discard: wrap('discard', (ids, call) => engine.discard(ids, call)),
    purge: wrap('purge', (queue, call) => engine.purge(queue, call)),
    configure: wrap('configure', (change, call) => engine.configure(change, call)),
    get: wrap('get', (ids, call) => engine.get(ids, call)),
    list: wrap('list', (query, call) => engine.list(query, call)),
    listDead: wrap('listDead', (query, call) => engine.listDead(query, call)),
    load: wrap('load', (queues, call) => engine.load(queues, call)),
    queues: wrap('queues', (query, call) => engine.queues(query, call)),
    workers: {
      beat: wrap('workers.beat', (beat, call) => workers.beat(beat, call)),
      list: wrap('workers.list', (call) => workers.list(call)),
    },
    audit: {
      append: wrap('audit.append', (entries, call) => audit.append(entries, call)),
      list: wrap('audit.list', (query, call) => audit.list(query, call)),
    },
    publish: wrap('publish', (events, call) => engine.publish(events, call)),
    subscribe: wrap('subscribe', (listener) => engine.subscribe(listener)),
    watch: wrap('watch', (queues, wake) => engine.watch(queues, wake)),
  };
}
