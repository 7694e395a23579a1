// The conformance suite: the definition of the engine port, as tests. This file is its table of contents.
//
//   import { conformance } from 'sluice/conformance';
//   import { describe, it } from 'vitest'; // or jest, or node:test
//   conformance({ name: 'mine', open: async (namespace, { defaults }) => ... }, { describe, it });
//
// Every case works in a namespace of its own and on a clock of its own; nothing is ever cleaned by dropping data.
import { randomInt } from 'node:crypto';
import { admission } from './chapters/admission.ts';
import { batches } from './chapters/batches.ts';
import { extendChapter } from './chapters/extend.ts';
import { idempotency } from './chapters/idempotency.ts';
import { leases } from './chapters/leases.ts';
import { order } from './chapters/order.ts';
import { pace } from './chapters/pace.ts';
import { reserve } from './chapters/reserve.ts';
import { submit } from './chapters/submit.ts';
import { tenants } from './chapters/tenants.ts';
import { type Chapter, type Harness, type Runner, register } from './frame.ts';

export type { Chapter, Harness, OpenOptions, Runner } from './frame.ts';

export const chapters: readonly Chapter[] = [
  batches,
  submit,
  admission,
  idempotency,
  order,
  tenants,
  reserve,
  pace,
  leases,
  extendChapter,
];

export interface ConformanceOptions {
  /** Names the namespaces; drawn and printed where absent. */
  readonly seed?: number;
}

/** Registers the whole suite for one engine in one mode, with a last test that proves that every case ran. */
export function conformance(harness: Harness, runner: Runner, options: ConformanceOptions = {}): void {
  const seed = options.seed ?? randomInt(2 ** 32);
  console.info(`conformance of ${harness.name}: seed ${seed}`);
  register(chapters, harness, runner, seed);
}
