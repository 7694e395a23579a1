// The conformance suite: the definition of the engine port, as tests. This file is its table of contents.
//
//   import { conformance } from 'sluice/conformance';
//   import { describe, it } from 'vitest'; // or jest, or node:test
//   conformance({ name: 'mine', open: async (namespace, { defaults }) => ... }, { describe, it });
//
// Every case works in a namespace of its own and on a clock of its own; nothing is ever cleaned by dropping data.
import { randomInt } from 'node:crypto';
import { admission } from './chapters/admission.ts';
import { attempts } from './chapters/attempts.ts';
import { batches } from './chapters/batches.ts';
import { cancel } from './chapters/cancel.ts';
import { counters } from './chapters/counters.ts';
import { deadLetters } from './chapters/dead-letters.ts';
import { capabilities, closing } from './chapters/ends.ts';
import { events } from './chapters/events.ts';
import { expire } from './chapters/expire.ts';
import { extend } from './chapters/extend.ts';
import { idempotency } from './chapters/idempotency.ts';
import { leases } from './chapters/leases.ts';
import { listing } from './chapters/listing.ts';
import { modelChapter } from './chapters/model.ts';
import { order } from './chapters/order.ts';
import { pace } from './chapters/pace.ts';
import { pause } from './chapters/pause.ts';
import { promote } from './chapters/promote.ts';
import { prune } from './chapters/prune.ts';
import { purge } from './chapters/purge.ts';
import { reap } from './chapters/reap.ts';
import { redrive } from './chapters/redrive.ts';
import { audit, workers } from './chapters/registry.ts';
import { reserve } from './chapters/reserve.ts';
import { restart } from './chapters/restart.ts';
import { settings } from './chapters/settings.ts';
import { settle } from './chapters/settle.ts';
import { submit } from './chapters/submit.ts';
import { tenants } from './chapters/tenants.ts';
import { transitions } from './chapters/transitions.ts';
import { values } from './chapters/values.ts';
import { watch } from './chapters/watch.ts';
import { type Chapter, type OpenLab, register } from './frame.ts';
import type { Harness, Runner } from './harness.ts';
import { Lab } from './lab.ts';

export type { Chapter } from './frame.ts';
export type { Harness, OpenOptions, Runner } from './harness.ts';

export const chapters: readonly Chapter[] = [
  // Work comes in
  batches,
  submit,
  admission,
  idempotency,
  // Work goes out
  order,
  tenants,
  reserve,
  pace,
  pause,
  // Work is done, or not
  leases,
  extend,
  settle,
  attempts,
  reap,
  cancel,
  transitions,
  // Work waits, ends and goes
  promote,
  expire,
  redrive,
  deadLetters,
  purge,
  prune,
  // What is known about it
  counters,
  listing,
  settings,
  workers,
  audit,
  events,
  watch,
  values,
  // The engine itself
  capabilities,
  restart,
  closing,
];

export interface ConformanceOptions {
  /** Names the namespaces and makes the random histories; drawn and printed where absent. */
  readonly seed?: number;
  /** An engine known to be right, for the `model` chapter: random histories must go the same way on both. */
  readonly model?: Pick<Harness, 'open'>;
  /** Random histories to play. Default 20. */
  readonly histories?: number;
}

/** Registers the whole suite for one engine in one mode, with a last test that proves that every case ran. */
export function conformance(harness: Harness, runner: Runner, options: ConformanceOptions = {}): void {
  const { seed = randomInt(2 ** 32), model, histories = 20 } = options;
  console.info(`conformance of ${harness.name}: seed ${seed}`);
  const random: Chapter[] = [];
  if (model) {
    const openModel: OpenLab = (settings) => Lab.open({ name: 'model', ...model }, 'model', settings);
    random.push(modelChapter(openModel, histories, seed));
  }
  register([...chapters, ...random], harness, runner, seed);
}
