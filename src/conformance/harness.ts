// What the suite asks of whoever runs it: a way to open an engine, and the part of a test runner that it needs.
import type { QueueSettings } from '../core/settings.ts';
import type { Engine } from '../engine/port.ts';

export interface OpenOptions {
  /** The settings of a queue that nobody configured. */
  readonly defaults: QueueSettings;
}

/** How the suite gets at one engine in one mode. */
export interface Harness {
  readonly name: string;
  /** An opened engine over a store of this name, which nothing has used before. */
  open(namespace: string, options: OpenOptions): Promise<Engine>;
  /** The same store again after its engine was closed. Give it exactly where `capabilities.durable` is true. */
  reopen?(namespace: string, options: OpenOptions): Promise<Engine>;
}

/** The part of a test runner that the suite needs; vitest, jest and node:test have it. */
export interface Runner {
  describe(name: string, define: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}
