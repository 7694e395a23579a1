// The place where faults are planted: before a call (it never happened) or after it (it did, but nobody hears of it).
// Used by tests and chaos runs; in production it is not there.
import type { Engine } from './port.ts';
import { type Operation, wrapEngine } from './wrap.ts';

export interface FaultPoint {
  /** Throw here to lose the call, wait here to delay it. */
  before?(operation: Operation): Promise<void> | void;
  /** Throw here to lose the answer of a call that was done. */
  after?(operation: Operation): Promise<void> | void;
}

export function withFaults(engine: Engine, point: FaultPoint): Engine {
  return wrapEngine(engine, async (operation, _args, run) => {
    await point.before?.(operation);
    const answer = await run();
    await point.after?.(operation);
    return answer;
  });
}
