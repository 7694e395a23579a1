// Random tests: one seed per run, printed, and taken from TEST_SEED to repeat it.
import fc from 'fast-check';

// A bound on a length means histories up to that length; by default fast-check stops at about ten.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true });

export const SEED = Number(process.env.TEST_SEED ?? Date.now() % 0x7fffffff);
console.log(`random tests run with TEST_SEED=${SEED}`);

/** Asserts a property; a counterexample comes with its seed and path, shrunk. */
export function holds<Ts>(property: fc.IRawProperty<Ts>, runs = 200): void {
  fc.assert(property, { seed: SEED, numRuns: runs });
}
