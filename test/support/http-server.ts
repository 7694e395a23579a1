// A whole server on a free port of loopback, for tests: broker and app over an engine, with a store of its own.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterEach } from 'vitest';
import { Broker } from '../../src/broker/broker.ts';
import { type Config, defaultSettings } from '../../src/core/options.ts';
import { parseOptions } from '../../src/core/options-parse.ts';
import { storeClock } from '../../src/engine/clock.ts';
import type { Engine } from '../../src/engine/port.ts';
import { withChecks } from '../../src/engine/wrap-checks.ts';
import { type FaultPoint, withFaults } from '../../src/engine/wrap-faults.ts';
import { memoryEngine } from '../../src/engines/memory/index.ts';
import { sqliteEngine } from '../../src/engines/sqlite/index.ts';
import { buildApp } from '../../src/server/app.ts';
import { brokerEnv } from '../../src/server/broker-env.ts';
import { Client } from './http-client.ts';

export const STORES = ['memory', 'sqlite'] as const;

export interface ServerAsk {
  readonly store?: (typeof STORES)[number];
  readonly config?: Partial<Config>;
  /** The clock stands still at this time until the test moves it. */
  readonly frozenAt?: number;
  /** What goes wrong between the server and its store. */
  readonly faults?: FaultPoint;
  /** false: no folder for files. */
  readonly uploads?: boolean;
}

export interface TestServer extends Client {
  readonly app: FastifyInstance;
  readonly broker: Broker;
  readonly engine: Engine;
  /** What was logged, in order. */
  readonly lines: { level: string; message: string; fields: object }[];
  /** Moves a frozen clock. */
  advance(ms: number): void;
  /** Names of the uploaded files that are there. */
  files(): string[];
}

const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Closed, with everything that it kept, after the test. */
export async function testServer(ask: ServerAsk = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-http-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const parsed = parseOptions({ flags: { host: '127.0.0.1', port: 0 } });
  if (!parsed.ok) throw new Error(parsed.errors.join());
  const files = ask.uploads === false ? null : join(folder, 'files');
  const config: Config = { ...parsed.config, ...ask.config, files };
  const engine = engineOf(ask, folder, config);
  await engine.open();
  undo.push(() => engine.close());

  let now = ask.frozenAt ?? 0;
  const clock =
    ask.frozenAt === undefined
      ? await storeClock(engine, () => performance.now())
      : { now: () => now, calibrate: async () => undefined };
  const lines: TestServer['lines'] = [];
  const say = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields });
  };
  const log = {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    isLevelEnabled: () => true,
  };
  const broker = new Broker(brokerEnv({ engine, clock, config, log }));
  await broker.start();
  undo.push(() => broker.stop());
  const app = await buildApp({ broker, engine, clock, config, log, version: '0.0.0-test' });
  undo.push(() => app.close());
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return Object.assign(new Client(url), {
    app,
    broker,
    engine,
    lines,
    advance: (ms: number) => {
      now += ms;
    },
    files: () => (files === null ? [] : readdirSync(files)),
  });
}

function engineOf({ store = 'memory', faults = {} }: ServerAsk, folder: string, config: Config): Engine {
  const defaults = defaultSettings(config);
  const engine =
    store === 'memory'
      ? memoryEngine({ defaults, clock: Date.now })
      : sqliteEngine({ file: join(folder, 'store.db'), defaults });
  return withFaults(withChecks(engine), faults);
}
