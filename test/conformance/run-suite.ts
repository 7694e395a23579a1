// Runs the conformance suite without a test runner, so that tests can look at what fails.

import { register } from '../../src/conformance/frame.ts';
import type { Harness, Runner } from '../../src/conformance/harness.ts';
import { chapters } from '../../src/conformance/index.ts';

export interface SuiteReport {
  /** Chapters with at least one failed case, in the suite's order. */
  readonly red: readonly string[];
  /** `chapter: case` with the message of its failure. */
  readonly failures: ReadonlyMap<string, string>;
}

interface Planned {
  readonly chapter: string;
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** @param seed names the namespaces only: the cases themselves are not random */
export async function runSuite(
  harness: Harness,
  seed: number,
  keep: (name: string) => boolean = () => true,
): Promise<SuiteReport> {
  const planned = plan(harness, seed).filter(({ chapter, name }) => keep(`${chapter}: ${name}`));
  const failures = new Map<string, string>();
  const red = new Set<string>();
  for (const { chapter, name, run } of planned) {
    try {
      await run();
    } catch (error) {
      red.add(chapter);
      failures.set(`${chapter}: ${name}`, String(error));
    }
  }
  return { red: [...red], failures };
}

function plan(harness: Harness, seed: number): Planned[] {
  const planned: Planned[] = [];
  const open: string[] = [];
  const runner: Runner = {
    describe: (name, define) => {
      open.push(name);
      define();
      open.pop();
    },
    it: (name, run) => planned.push({ chapter: open[1] ?? '', name, run }),
  };
  register(chapters, harness, runner, seed);
  return planned;
}
