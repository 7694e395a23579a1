// Plays one history on the model and on the engine under test, call by call, and tells the first difference.
import { isDeepStrictEqual } from 'node:util';
import type { Engine } from '../../engine/port.ts';
import type { TaskEvent } from '../../engine/records.ts';
import type { Lab } from '../lab.ts';
import { deedOf, type Known } from './deeds.ts';
import { type History, QUEUES } from './steps.ts';

export interface Difference {
  /** Index of the step after which it showed; the number of steps: only in the events. */
  readonly step: number;
  readonly what: string;
  readonly model: unknown;
  readonly engine: unknown;
}

/** Both labs are fresh and have the history's settings. */
export async function play(history: History, model: Lab, tested: Lab): Promise<Difference | null> {
  const known: Known = { ids: [], leases: [], requests: [] };
  const [modelEvents, events] = [await model.record(), await tested.record()];
  for (const [index, step] of history.steps.entries()) {
    model.advance(step.after);
    tested.at = model.at;
    if (step.do === 'restart') {
      // Events not yet delivered would be gone with the engine.
      await caughtUp(events, modelEvents.length);
      await tested.restart();
      await tested.engine.subscribe((some) => {
        events.push(...some);
      });
      continue;
    }
    const deed = deedOf(step, known, model);
    if (deed === null) continue;
    const answers = [await outcomeOf(deed.ask(model.engine)), await outcomeOf(deed.ask(tested.engine))];
    const [fromModel, fromEngine] = answers;
    if (!isDeepStrictEqual(fromModel, fromEngine)) {
      return { step: index, what: `answer of ${step.do}`, model: fromModel, engine: fromEngine };
    }
    deed.learn?.(fromModel);
    const differs = await compareStates(known.ids, model, tested);
    if (differs) return { step: index, ...differs };
  }
  return compareEvents(history.steps.length, modelEvents, events);
}

async function outcomeOf(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    return { thrown: String(error) };
  }
}

async function compareStates(ids: readonly string[], model: Lab, tested: Lab) {
  const read = async (engine: Engine) => ({
    loads: await engine.load(QUEUES, model.call),
    tasks: await engine.get(ids, model.call),
  });
  const [ofModel, ofEngine] = [await read(model.engine), await read(tested.engine)];
  for (const [i, load] of ofModel.loads.entries()) {
    const other = ofEngine.loads[i];
    if (!isDeepStrictEqual(load, other)) return { what: `load of ${QUEUES[i]}`, model: load, engine: other };
  }
  for (const [i, task] of ofModel.tasks.entries()) {
    const other = ofEngine.tasks[i];
    if (!isDeepStrictEqual(task, other)) return { what: `task ${i}`, model: task, engine: other };
  }
  return null;
}

async function compareEvents(
  step: number,
  modelEvents: readonly TaskEvent[],
  events: readonly TaskEvent[],
): Promise<Difference | null> {
  await caughtUp(events, modelEvents.length);
  for (let i = 0; i < Math.max(events.length, modelEvents.length); i += 1) {
    const [model, engine] = [modelEvents[i] ?? null, events[i] ?? null];
    if (!isDeepStrictEqual(model, engine)) return { step, what: `event ${i}`, model, engine };
  }
  return null;
}

/** Waits until that many events have come, or for a while in vain. */
async function caughtUp(events: readonly TaskEvent[], count: number): Promise<void> {
  for (let turn = 0; events.length < count && turn < 300; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, turn < 50 ? 0 : 5));
  }
}
