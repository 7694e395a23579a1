// The parts of the port that a worker or a producer needs. An HTTP client implements the same slices.
import type { Engine } from './port.ts';

/** Where a worker gets work from. */
export type WorkSource = Pick<Engine, 'name' | 'reserve' | 'extend' | 'settle' | 'watch'> & {
  readonly workers: Pick<Engine['workers'], 'beat'>;
};

/** Where a producer puts tasks. */
export type TaskSink = Pick<Engine, 'name' | 'submit'>;
