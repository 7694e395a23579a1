// The task types that come with Sluice, by name.
import type { Handler } from '../handler.ts';
import { alwaysFail } from './always-fail.ts';
import { CsvPool } from './csv/pool.ts';
import { csvImport } from './csv-import.ts';
import { echo } from './echo.ts';
import { flaky } from './flaky.ts';
import { noop } from './noop.ts';
import { sleep } from './sleep.ts';

export interface BuiltinHandlers {
  readonly handlers: ReadonlyMap<string, Handler>;
  /** Ends the threads that imports have started (none before the first one); imports still running reject. */
  close(): Promise<void>;
}

/** `slots`: tasks that the worker runs at once, >= 1, and so the most threads that imports may take. */
export function builtinHandlers(slots: number): BuiltinHandlers {
  const pool = new CsvPool(slots);
  return {
    handlers: new Map<string, Handler>([
      ['noop', noop],
      ['echo', echo],
      ['sleep', sleep],
      ['flaky', flaky],
      ['always-fail', alwaysFail],
      ['csv-import', csvImport(pool)],
    ]),
    close: () => pool.close(),
  };
}
