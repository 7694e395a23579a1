// A process' view of the store's clock: its own monotonic clock plus an offset that is read from the store now and then.
// Correctness rests on tokens; a wrong offset costs latency only.
import type { Instant } from '../core/task.ts';
import type { Engine } from './port.ts';

export interface StoreClock {
  now(): Instant;
  /** Reads the store's clock again; a failure leaves the offset as it was and is thrown. */
  calibrate(): Promise<void>;
}

/** Of so many readings the one with the shortest round trip counts (Cristian's algorithm, 1989). */
const READINGS = 3;

/** @param monotonic milliseconds from any origin that never go back */
export async function storeClock(engine: Pick<Engine, 'now'>, monotonic: () => number): Promise<StoreClock> {
  let offset = 0;
  const calibrate = async () => {
    let shortest = Number.POSITIVE_INFINITY;
    for (let reading = 0; reading < READINGS; reading += 1) {
      const before = monotonic();
      const stored = await engine.now();
      const tripMs = monotonic() - before;
      if (tripMs >= shortest) continue;
      shortest = tripMs;
      offset = stored - (before + tripMs / 2);
    }
  };
  await calibrate();
  return { now: () => Math.floor(monotonic() + offset), calibrate };
}
