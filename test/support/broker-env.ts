// A broker's surroundings under a test's control: time moves only by `advance`, the engine is the memory one unless given.
import { createHash } from 'node:crypto';
import type { BrokerEnv, BrokerLimits } from '../../src/broker/env.ts';
import type { Engine } from '../../src/engine/port.ts';
import { withChecks } from '../../src/engine/wrap-checks.ts';
import { memoryEngine } from '../../src/engines/memory/index.ts';
import { FakeEnv } from './fake-env.ts';

const LIMITS: BrokerLimits = {
  maxPayloadBytes: 1_000,
  maxFileBytes: 1_000,
  maxPending: 1_000,
  retryAfterMinS: 1,
  retryAfterMaxS: 300,
  idempotencyTtlS: 60,
  maintenanceBatch: 10,
  reapIntervalMs: 1_000,
};

interface Given {
  readonly limits?: Partial<BrokerLimits>;
  readonly files?: string;
  /** Stands between the broker and its store. */
  readonly wrap?: (engine: Engine) => Engine;
}

export interface BrokerHouse extends BrokerEnv {
  readonly time: FakeEnv;
  calibrations: number;
}

export async function brokerHouse({
  limits,
  files,
  wrap = (engine) => engine,
}: Given = {}): Promise<BrokerHouse> {
  const time = new FakeEnv();
  const engine = wrap(withChecks(memoryEngine({ clock: time.now })));
  await engine.open();
  let filled = 0;
  const house: BrokerHouse = {
    time,
    calibrations: 0,
    engine,
    clock: {
      now: time.now,
      calibrate: async () => {
        house.calibrations += 1;
      },
    },
    timers: time.timers,
    random: time.random,
    randomBytes: (into) => {
      filled += 1;
      into.fill(filled);
    },
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    limits: { ...LIMITS, ...limits },
    files: files ?? null,
    log: time.log,
  };
  return house;
}
