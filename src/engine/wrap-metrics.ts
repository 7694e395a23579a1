// Tells a hook of each call's begin and end: enough for counters, durations and spans. It reads no clock of its own.
import { EngineError, type EngineErrorCode } from './errors.ts';
import type { Engine } from './port.ts';
import { type Operation, wrapEngine } from './wrap.ts';

/** `DEFECT`: the engine threw something that it must not throw. */
type OperationResult = 'ok' | EngineErrorCode | 'DEFECT';

/**
 * Called when an operation begins, with the items of its batch (1 for calls without one);
 * what it returns is called once when the operation has ended. Neither may throw.
 */
export type OperationHook = (operation: Operation, items: number) => (result: OperationResult) => void;

export function withMetrics(engine: Engine, begin: OperationHook): Engine {
  return wrapEngine(engine, async (operation, args, run) => {
    const [first] = args;
    const end = begin(operation, Array.isArray(first) ? first.length : 1);
    try {
      const answer = await run();
      end('ok');
      return answer;
    } catch (error) {
      end(error instanceof EngineError ? error.code : 'DEFECT');
      throw error;
    }
  });
}
