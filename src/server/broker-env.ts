// What a broker needs from its surroundings, as a Node process has it.
import { createHash, randomFillSync } from 'node:crypto';
import type { BrokerEnv, BrokerTimers } from '../broker/env.ts';
import type { Config } from '../core/options.ts';
import type { ServerLog } from './context.ts';

const TIMER_MAX_MS = 2_147_483_647;

const timers: BrokerTimers = {
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(TIMER_MAX_MS, Math.max(0, ms)));
    return () => clearTimeout(timer);
  },
};

/** Real timers and randomness, with the limits and the files folder of the configuration. */
export function brokerEnv(
  parts: Pick<BrokerEnv, 'engine' | 'clock'> & { readonly config: Config; readonly log: ServerLog },
): BrokerEnv {
  const { engine, clock, config, log } = parts;
  return {
    engine,
    clock,
    timers,
    random: Math.random,
    randomBytes: (into) => void randomFillSync(into),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    limits: config,
    files: config.files,
    log: (level, message, fields = {}) => log[level](fields, message),
  };
}
