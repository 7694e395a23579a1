// Makes the engine that the configuration names. Drivers load only when their engine is asked for.
import type { Config } from '../core/options.ts';
import { defaultSettings } from '../core/options.ts';
import type { Engine } from '../engine/port.ts';
import { withChecks } from '../engine/wrap-checks.ts';
import { memoryEngine } from '../engines/memory/index.ts';

/** Not yet open, behind the checks of the port. Rejects where the driver is not installed. */
export async function engineOf(config: Config): Promise<Engine> {
  const defaults = defaultSettings(config);
  const { store, durability } = config;
  if (store.engine === 'memory') return withChecks(memoryEngine({ defaults, clock: Date.now }));
  const { sqliteEngine } = await import('../engines/sqlite/index.ts');
  return withChecks(sqliteEngine({ file: store.path ?? ':memory:', defaults, durability }));
}

/** The store in one word or path, for people. */
export function storeName({ store }: Pick<Config, 'store'>): string {
  if (store.engine === 'memory') return 'memory';
  return `sqlite ${store.path ?? 'in memory'}`;
}
