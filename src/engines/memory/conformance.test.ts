// The memory engine under the whole conformance suite: bare, and behind the checks that every server puts before it.
import { describe, it } from 'vitest';
import { conformance, type OpenOptions } from '../../conformance/index.ts';
import { withChecks } from '../../engine/wrap-checks.ts';
import { memoryEngine } from './index.ts';

async function open(_namespace: string, { defaults }: OpenOptions) {
  const engine = memoryEngine({ defaults });
  await engine.open();
  return engine;
}

conformance({ name: 'memory', open }, { describe, it });

conformance(
  { name: 'memory behind checks', open: async (...about) => withChecks(await open(...about)) },
  { describe, it },
  { model: { open } },
);
