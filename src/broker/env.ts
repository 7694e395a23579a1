// What the broker needs from its surroundings and must not take by itself. compose/ gives the real ones, tests give fakes.
import type { StoreClock } from '../engine/clock.ts';
import type { Engine } from '../engine/port.ts';

export interface BrokerTimers {
  /** Calls `fire` once, `ms` (>= 0) from now; the answer takes it back. */
  after(ms: number, fire: () => void): () => void;
}

export type BrokerLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

export interface BrokerLimits {
  /** UTF-8 bytes of a compact payload. */
  readonly maxPayloadBytes: number;
  /** Bytes of an uploaded file. */
  readonly maxFileBytes: number;
  /** Sum of all queues' depths at which everything new is refused. */
  readonly maxPending: number;
  readonly retryAfterMinS: number;
  readonly retryAfterMaxS: number;
  readonly idempotencyTtlS: number;
  readonly maintenanceBatch: number;
  readonly reapIntervalMs: number;
}

export interface BrokerEnv {
  readonly engine: Engine;
  readonly clock: Pick<StoreClock, 'now' | 'calibrate'>;
  readonly timers: BrokerTimers;
  /** Uniform in [0, 1). */
  random(): number;
  /** Fills with unguessable bytes. */
  randomBytes(into: Uint8Array): void;
  /** Hex SHA-256 of a text's UTF-8. */
  sha256(text: string): string;
  readonly limits: BrokerLimits;
  /** Folder for uploads; null: uploads are not served. */
  readonly files: string | null;
  readonly log: BrokerLog;
}
