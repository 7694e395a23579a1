// The conformance suite can fail: each broken engine turns its chapter red, and a skipped case is noticed.
import { describe, expect, it } from 'vitest';
import type { Harness, OpenOptions } from '../../src/conformance/harness.ts';
import { chapters } from '../../src/conformance/index.ts';
import { wrapEngine } from '../../src/engine/wrap.ts';
import { MemoryEngine } from '../../src/engines/memory/engine.ts';
import { createState } from '../../src/engines/memory/state.ts';
import { SEED } from '../seed.ts';
import { BROKEN_KEEPING } from './broken/keeping.ts';
import type { BrokenEngine } from './broken/tamper.ts';
import { BROKEN_WORK } from './broken/work.ts';
import { runSuite } from './run-suite.ts';

function harness(broken: Pick<BrokenEngine, 'name' | 'wrong'>): Harness {
  return {
    name: broken.name,
    open: async (_namespace, { defaults }: OpenOptions) => {
      const state = createState(defaults, 10_000);
      const right = new MemoryEngine(state, null);
      await right.open();
      return { ...wrapEngine(right, (_operation, _args, run) => run()), ...broken.wrong(right, state) };
    },
  };
}

const BROKEN = [...BROKEN_WORK, ...BROKEN_KEEPING];

const sound = harness({ name: 'sound', wrong: () => ({}) });

describe('a broken engine turns its chapter red', () => {
  it('and a sound one none', async () => {
    const { failures } = await runSuite(sound, SEED);
    expect([...failures]).toEqual([]);
  });

  for (const broken of BROKEN) {
    it(`${broken.name}: ${broken.chapter}`, async () => {
      const own = (name: string) => name.startsWith(`${broken.chapter}: `);
      const { red } = await runSuite(harness(broken), SEED, own);
      expect(red).toEqual([broken.chapter]);
    });
  }

  it('forgets everything at a restart: restart', async () => {
    const { red } = await runSuite({ ...sound, reopen: sound.open }, SEED);
    expect(red).toEqual(['capabilities', 'restart']);
  });

  it('every chapter has its broken engine', () => {
    const named = new Set([...BROKEN.map(({ chapter }) => chapter), 'restart']);
    expect([...named].sort()).toEqual(chapters.map(({ name }) => name).sort());
  });
});

describe('the suite proves that it ran', () => {
  it('a case that was skipped fails its last test', async () => {
    const skipped = 'leases: a stale token changes nothing';
    const { failures } = await runSuite(sound, SEED, (name) => name !== skipped);
    expect([...failures.keys()]).toEqual([': ran every case of the suite']);
    expect([...failures.values()][0]).toContain(skipped);
  });

  it('a chapter of durable stores is not asked of others, and is asked of them', async () => {
    const names: string[] = [];
    await runSuite({ ...sound, reopen: sound.open }, SEED, (name) => {
      names.push(name);
      return false;
    });
    expect(names.some((name) => name.startsWith('restart: '))).toBe(true);
  });
});
