// What `import ... from 'sluice/server'` gives: the HTTP app over an engine, to embed in a process of one's own.
export { Broker } from '../broker/broker.ts';
export type { BrokerEnv, BrokerLimits, BrokerLog, BrokerTimers } from '../broker/env.ts';
export type { Config } from '../core/options.ts';
export { type OptionSources, type OptionsResult, parseOptions } from '../core/options-parse.ts';
export { type StoreClock, storeClock } from '../engine/clock.ts';
export { buildApp } from './app.ts';
export { brokerEnv } from './broker-env.ts';
export type { AppParts, ServerLog } from './context.ts';
