// What a broken engine is, and how it reaches into the state of a right one.
import type { QueueSettings } from '../../../src/core/settings.ts';
import type { Engine } from '../../../src/engine/port.ts';
import type { Entry, State } from '../../../src/engines/memory/state.ts';

export interface BrokenEngine {
  readonly name: string;
  /** The chapter that must turn red; others may too. */
  readonly chapter: string;
  /** The methods that are wrong, over the right engine and its state. */
  readonly wrong: (right: Engine, state: State) => Partial<Engine>;
}

export const entriesOf = (state: State): Entry[] => [...state.tasks.values()];

/** Runs with other settings in force, and puts the old ones back. */
export async function withSettings<T>(
  state: State,
  change: (settings: QueueSettings) => Partial<QueueSettings>,
  run: () => Promise<T>,
): Promise<T> {
  const kept = [...state.queues.values()].map((queue) => [queue, queue.settings] as const);
  for (const [queue, settings] of kept) queue.settings = { ...settings, ...change(settings) };
  try {
    return await run();
  } finally {
    for (const [queue, settings] of kept) queue.settings = settings;
  }
}
