// The suite's frame: what a chapter is, and how the chapters are run and proved to have run.
import assert from 'node:assert/strict';
import type { QueueSettings } from '../core/settings.ts';
import type { Harness, Runner } from './harness.ts';
import { Lab } from './lab.ts';

/** Opens a lab of its own, over a store that nothing has used before; whoever opens it closes its engine. */
export type OpenLab = (settings: Partial<QueueSettings>) => Promise<Lab>;

interface Case {
  readonly name: string;
  readonly settings: Partial<QueueSettings>;
  readonly run: (lab: Lab, openAnother: OpenLab) => Promise<void>;
}

export interface Chapter {
  readonly name: string;
  readonly cases: readonly Case[];
  /** Only for stores that outlive their engine. */
  readonly durableOnly: boolean;
}

type AddCase = (name: string, settings: Partial<QueueSettings>, run: Case['run']) => void;

export function chapter(name: string, define: (test: AddCase) => void, durableOnly = false): Chapter {
  const cases: Case[] = [];
  define((caseName, settings, run) => {
    assert.ok(!cases.some((known) => known.name === caseName), `two cases are named ${caseName}`);
    cases.push({ name: caseName, settings, run });
  });
  return { name, cases, durableOnly };
}

/** The chapters that bind this harness. */
function chaptersFor(chapters: readonly Chapter[], harness: Harness): readonly Chapter[] {
  return chapters.filter(({ durableOnly }) => !durableOnly || harness.reopen !== undefined);
}

/** `chapter: case` for all of them. */
function caseNames(chapters: readonly Chapter[]): string[] {
  return chapters.flatMap(({ name, cases }) => cases.map((one) => `${name}: ${one.name}`));
}

/** Registers the chapters, and as the last test the proof that all of them ran. */
export function register(
  chapters: readonly Chapter[],
  harness: Harness,
  { describe, it }: Runner,
  seed: number,
): void {
  const bound = chaptersFor(chapters, harness);
  const executed = new Set<string>();
  describe(`conformance of ${harness.name}`, () => {
    let count = 0;
    for (const { name, cases } of bound) {
      describe(name, () => {
        for (const one of cases) {
          count += 1;
          const number = count;
          it(one.name, async () => {
            executed.add(`${name}: ${one.name}`);
            await runCase(harness, one, { seed, number });
          });
        }
      });
    }
    it('ran every case of the suite', async () => {
      assert.deepEqual([...executed].sort(), caseNames(bound).sort());
    });
  });
}

async function runCase(
  harness: Harness,
  one: Case,
  { seed, number }: { readonly seed: number; readonly number: number },
): Promise<void> {
  const namespace = `sluice-${seed.toString(36)}-${number}`;
  let others = 0;
  const openAnother: OpenLab = (settings) => {
    others += 1;
    return Lab.open(harness, `${namespace}-${others}`, settings);
  };
  const lab = await Lab.open(harness, namespace, one.settings);
  try {
    await one.run(lab, openAnother);
  } catch (error) {
    if (error instanceof Error) error.message += `\n  (namespace ${namespace}, seed ${seed})`;
    throw error;
  } finally {
    await lab.engine.close();
  }
}
