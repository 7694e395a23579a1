// What the routes work with: the parts that the app was built from, and on whose behalf they call.
import type { Broker } from '../broker/broker.ts';
import type { Config } from '../core/options.ts';
import type { StoreClock } from '../engine/clock.ts';
import type { Call } from '../engine/messages.ts';
import type { Engine } from '../engine/port.ts';
import { ANONYMOUS } from '../engine/principal.ts';

/** A pino logger is one. */
export interface ServerLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}

export interface AppParts {
  readonly broker: Broker;
  /** Open, and the one that the broker was given. */
  readonly engine: Engine;
  readonly clock: Pick<StoreClock, 'now'>;
  readonly config: Pick<Config, 'maxPending' | 'maxBodyBytes' | 'maxFileBytes' | 'drainTimeoutMs'>;
  readonly log: ServerLog;
  readonly version: string;
}

/** What a request asks of the store. Without API keys everybody is the same anonymous client. */
export function callOf({ clock }: Pick<AppParts, 'clock'>): Call {
  return { at: clock.now(), principal: ANONYMOUS };
}
