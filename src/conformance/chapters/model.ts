// Random histories: whatever is done to the engine, it answers, stores and tells what the model does.
import { type Chapter, chapter, type OpenLab } from '../frame.ts';
import { type Difference, play } from '../model/play.ts';
import { random } from '../model/random.ts';
import { shrink } from '../model/shrink.ts';
import { type History, randomHistory } from '../model/steps.ts';

export interface ModelBench {
  /** A fresh model with these settings. */
  readonly openModel: OpenLab;
  /** A fresh engine under test. */
  readonly openEngine: OpenLab;
}

export interface Disagreement {
  readonly seed: number;
  readonly history: History;
  readonly difference: Difference;
}

/** @param histories how many, each with a seed of its own made from `seed` */
export function modelChapter(openModel: OpenLab, histories: number, seed: number): Chapter {
  return chapter('model', (test) => {
    test(`${histories} random histories agree with the model`, {}, async (_lab, openEngine) => {
      const found = await findDisagreement({ openModel, openEngine }, histories, seed);
      if (found) throw new Error(describeDisagreement(found));
    });
  });
}

/** The first history that the two disagree about, made small; null: none. */
export async function findDisagreement(
  bench: ModelBench,
  histories: number,
  seed: number,
): Promise<Disagreement | null> {
  const { canRestart } = await closed(await bench.openEngine({}));
  for (let number = 0; number < histories; number += 1) {
    const own = (seed + number * 0x9e3779b1) >>> 0;
    const history = randomHistory(random(own), canRestart);
    if ((await playOnce(bench, history)) === null) continue;
    const small = await shrink(history, async (candidate) => (await playOnce(bench, candidate)) !== null);
    const difference = await playOnce(bench, small);
    if (difference === null) throw new Error(`history ${own} fails now and then: ${JSON.stringify(small)}`);
    return { seed: own, history: small, difference };
  }
  return null;
}

async function playOnce(bench: ModelBench, history: History): Promise<Difference | null> {
  const model = await bench.openModel(history.settings);
  const tested = await bench.openEngine(history.settings);
  try {
    return await play(history, model, tested);
  } finally {
    await closed(model);
    await closed(tested);
  }
}

async function closed<T extends { readonly engine: { close(): Promise<void> } }>(lab: T): Promise<T> {
  await lab.engine.close();
  return lab;
}

function describeDisagreement({ seed, history, difference }: Disagreement): string {
  const { step, what, model, engine } = difference;
  const lines = history.steps.map((one, i) => `  ${i}: ${JSON.stringify(one)}`);
  return [
    `history of seed ${seed}, made small, differs in ${what} after step ${step}`,
    `settings ${JSON.stringify(history.settings)}`,
    ...lines,
    `model:  ${JSON.stringify(model)}`,
    `engine: ${JSON.stringify(engine)}`,
  ].join('\n');
}
