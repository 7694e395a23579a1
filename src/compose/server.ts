// A running server, put together: engine, clock, broker, HTTP, and a worker in the same process where one is asked for.
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { Broker } from '../broker/broker.ts';
import type { Config } from '../core/options.ts';
import { type StoreClock, storeClock } from '../engine/clock.ts';
import type { ReserveRequest } from '../engine/messages.ts';
import { buildApp } from '../server/app.ts';
import { brokerEnv } from '../server/broker-env.ts';
import { builtinHandlers } from '../worker/builtin/handlers.ts';
import { loadTasks } from '../worker/load.ts';
import { type DrainReport, Worker } from '../worker/worker.ts';
import { engineOf } from './store.ts';

export interface ServerParts {
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  /** null: tasks wait for workers elsewhere. Without files the built-in types are served. */
  readonly worker: { readonly files: readonly string[]; readonly queues: ReserveRequest['queues'] } | null;
}

export interface RunningServer {
  /** Where it listens, with the port it got. */
  readonly url: string;
  readonly worker: Worker | null;
  /**
   * Drains the worker while HTTP still answers, then closes everything. The second call cuts the drain short.
   * Resolves, for every caller, when nothing is open any more.
   */
  close(): Promise<DrainReport | null>;
}

interface Hands {
  readonly worker: Worker;
  readonly closeHandlers: () => Promise<void>;
}

/** Rejects where the store does not open, a task file does not load, or the port is taken; then nothing stays open. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const engine = await engineOf(parts.config);
  const undo: (() => Promise<unknown>)[] = [];
  try {
    await engine.open();
    undo.unshift(() => engine.close());
    const clock = await storeClock(engine, () => performance.now());
    const broker = new Broker(brokerEnv({ ...parts, engine, clock }));
    const hands = await handsOf(parts, broker, clock);
    if (hands !== null) undo.unshift(hands.closeHandlers);
    await broker.start();
    undo.unshift(() => broker.stop());
    const { config, version, log } = parts;
    const app = await buildApp({ broker, engine, clock, config, log, version });
    undo.unshift(() => app.close());
    await app.listen({ host: config.host, port: config.port });
    await hands?.worker.start();
    return { url: urlOf(app.server.address()), worker: hands?.worker ?? null, close: closer(hands, undo) };
  } catch (thrown) {
    for (const step of undo) await step().catch(() => undefined);
    throw thrown;
  }
}

function closer(hands: Hands | null, undo: readonly (() => Promise<unknown>)[]): RunningServer['close'] {
  let closing: Promise<DrainReport | null> | null = null;
  const close = async () => {
    const report = (await hands?.worker.drain()) ?? null;
    for (const step of undo) await step();
    return report;
  };
  return () => {
    if (closing === null) closing = close();
    else void hands?.worker.drain(0);
    return closing;
  };
}

async function handsOf(parts: ServerParts, broker: Broker, clock: StoreClock): Promise<Hands | null> {
  const { worker: wanted, config, log, version } = parts;
  if (wanted === null) return null;
  const { uploads } = broker;
  const builtin = wanted.files.length === 0 ? builtinHandlers(config.workerConcurrency) : null;
  const worker = new Worker({
    source: broker.workSource,
    tasks: builtin?.handlers ?? (await loadTasks(wanted.files)),
    queues: wanted.queues,
    concurrency: config.workerConcurrency,
    prefetch: config.prefetch,
    heartbeatMs: config.heartbeatMs,
    drainTimeoutMs: config.drainTimeoutMs,
    version,
    ...(uploads === null ? {} : { pathOf: (file) => uploads.pathOf(file.path) }),
    env: { now: () => clock.now(), log: (level, message, fields = {}) => log[level](fields, message) },
  });
  return { worker, closeHandlers: async () => await builtin?.close() };
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
