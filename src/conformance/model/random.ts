// A small seeded generator (mulberry32): the same seed makes the same history on every machine.

export interface Random {
  /** Uniform in 0..below-1. */
  int(below: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Between least and most items. */
  list<T>(least: number, most: number, item: () => T): T[];
}

export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    chance: (share) => next() < share,
    pick: (from) => {
      const one = from[int(from.length)];
      if (one === undefined) throw new RangeError('nothing to pick from');
      return one;
    },
    list: (least, most, item) => Array.from({ length: least + int(most - least + 1) }, item),
  };
}
