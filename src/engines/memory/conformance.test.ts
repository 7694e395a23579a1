// The memory engine under the whole conformance suite.
import { describe, it } from 'vitest';
import { conformance } from '../../conformance/index.ts';
import { memoryEngine } from './index.ts';

conformance(
  {
    name: 'memory',
    open: async (_namespace, { defaults }) => {
      const engine = memoryEngine({ defaults });
      await engine.open();
      return engine;
    },
  },
  { describe, it },
);
