// The memory engine: the reference model of the port. Nothing is durable; every call is one synchronous step.
import { DEFAULT_SETTINGS, type QueueSettings } from '../../core/settings.ts';
import type { Instant } from '../../core/task.ts';
import type { Engine } from '../../engine/port.ts';
import { MemoryEngine } from './engine.ts';
import { createState } from './state.ts';

export interface MemoryOptions {
  /** What a queue has that nobody configured. Default: DEFAULT_SETTINGS. */
  readonly defaults?: QueueSettings;
  /** Answers `now()`. Without it `now()` is the latest `at` that a call brought. */
  readonly clock?: () => Instant;
  /** Audit entries kept by prune, the newest. Default 10,000. */
  readonly auditMax?: number;
}

/** An engine over a state of its own; it is gone with the process. */
export function memoryEngine(options: MemoryOptions = {}): Engine {
  const { defaults = DEFAULT_SETTINGS, clock = null, auditMax = 10_000 } = options;
  return new MemoryEngine(createState(defaults, auditMax), clock);
}
