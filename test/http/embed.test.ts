// `sluice/server` and `sluice/sqlite` as somebody uses them who embeds the app in a process of their own.
import { expect, it } from 'vitest';
import { sqliteEngine } from '../../src/engines/sqlite/index.ts';
import {
  Broker,
  brokerEnv,
  buildApp,
  parseOptions,
  type ServerLog,
  storeClock,
} from '../../src/server/index.ts';

const silent: ServerLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  isLevelEnabled: () => false,
};

it('runs without a port, by injected requests', async () => {
  const parsed = parseOptions({ flags: { store: 'sqlite::memory:' } });
  if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
  const { config } = parsed;
  const engine = sqliteEngine({ file: ':memory:' });
  await engine.open();
  const clock = await storeClock(engine, () => performance.now());
  const broker = new Broker(brokerEnv({ engine, clock, config, log: silent }));
  await broker.start();
  const app = await buildApp({ broker, engine, clock, config, log: silent, version: '1.2.3' });
  try {
    const sent = await app.inject({ method: 'POST', url: '/api/v1/tasks', payload: { type: 'hello' } });
    expect(sent.statusCode).toBe(202);
    const shown = await app.inject(sent.headers.location as string);
    expect(shown.json()).toMatchObject({ type: 'hello', status: 'queued' });
  } finally {
    await app.close();
    await broker.stop();
    await engine.close();
  }
});
