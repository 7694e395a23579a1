// Makes a failing history small: leaves steps out (delta debugging, Zeller 1999), then makes what is left simpler.
import type { History, Step } from './steps.ts';

/** True where the history still fails. */
export type Fails = (history: History) => Promise<boolean>;

/** @param budget histories to try at most */
export async function shrink(history: History, fails: Fails, budget = 2_000): Promise<History> {
  let best = history;
  let left = budget;
  const accept = async (candidate: History): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let before = ''; before !== JSON.stringify(best) && left > 0; ) {
    before = JSON.stringify(best);
    await leaveOut(best, accept);
    await simplify(() => best, accept);
  }
  return best;
}

type Accept = (candidate: History) => Promise<boolean>;

async function leaveOut(history: History, accept: Accept): Promise<void> {
  let { steps } = history;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < steps.length; ) {
      const fewer = without(steps, from, size);
      if (await accept({ ...history, steps: fewer })) steps = fewer;
      else from += size;
    }
  }
}

/** Time that a step waited is kept: what follows happens when it did. */
function without(steps: readonly Step[], from: number, size: number): Step[] {
  const gone = steps.slice(from, from + size).reduce((sum, { after }) => sum + after, 0);
  const rest = steps.slice(from + size);
  const [next, ...more] = rest;
  const kept = next ? [{ ...next, after: next.after + gone }, ...more] : [];
  return [...steps.slice(0, from), ...kept];
}

async function simplify(best: () => History, accept: Accept): Promise<void> {
  for (const name of Object.keys(best().settings)) {
    const { [name as keyof History['settings']]: _dropped, ...settings } = best().settings;
    await accept({ ...best(), settings });
  }
  for (let index = 0; index < best().steps.length; index += 1) {
    for (let again = true; again; ) {
      again = false;
      const { steps } = best();
      const step = steps[index];
      if (!step) break;
      for (const simpler of simplerSteps(step)) {
        if (await accept({ ...best(), steps: steps.with(index, simpler) })) {
          again = true;
          break;
        }
      }
    }
  }
}

function* simplerSteps(step: Step): Generator<Step> {
  for (const simpler of simplerObjects(step)) yield simpler as Step;
}

/** One item less in a list, null for what may be null, and the smallest number: each by itself, anywhere inside. */
function* simplerObjects(object: object): Generator<object> {
  for (const [name, value] of Object.entries(object)) {
    for (const simpler of simplerValues(name, value)) yield { ...object, [name]: simpler };
  }
}

const NULLABLE = new Set(['key', 'ttlMs', 'delayMs', 'repeat', 'percent', 'leaseMs', 'status']);
const FLOORS: Readonly<Record<string, number>> = {
  after: 0,
  size: 1,
  print: 0,
  lease: 0,
  max: 1,
  weight: 1,
  maxAttempts: 1,
};

function* simplerValues(name: string, value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    if (value.length > 1) for (let i = 0; i < value.length; i += 1) yield value.toSpliced(i, 1);
    for (const [i, item] of value.entries()) {
      if (typeof item !== 'object' || item === null) continue;
      for (const simpler of simplerObjects(item)) yield value.with(i, simpler);
    }
  } else if (value !== null && NULLABLE.has(name)) {
    yield null;
  } else if (typeof value === 'number' && value > (FLOORS[name] ?? value)) {
    yield FLOORS[name];
  } else if (name === 'queue' && value !== 'a') {
    yield 'a';
  } else if (name === 'tenant' && value !== '') {
    yield '';
  } else if (name === 'forged' && value === true) {
    yield false;
  }
}
