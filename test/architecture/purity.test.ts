// Planted clocks, dice, timers and reads of the environment: each is found where it is forbidden, and only there.
import { describe, expect, it } from 'vitest';
import { findings } from './planted-tree.ts';

const at = (found: readonly string[]): readonly string[] => found.map((line) => line.split(': ')[0] ?? '');

describe('purity', () => {
  it('finds a clock in core', async () => {
    const found = await findings('purity', { 'src/core/a.ts': 'export const a = () => Date.now();\n' });
    expect(found).toEqual(['src/core/a.ts:1 clock: the clock of Date is forbidden here; it is passed in']);
  });

  it.each([
    ['new Date()', 'clock'],
    ['new Date', 'clock'],
    ['Date()', 'clock'],
    ['(({ now }) => now())(Date)', 'clock'],
    ['performance.now()', 'clock'],
    ['Math.random()', 'randomness'],
    ["Math['random']()", 'randomness'],
    ['crypto.randomUUID()', 'randomness'],
    ['setTimeout(() => 1, 5)', 'timer'],
    ['globalThis.setInterval(() => 1, 5)', 'global'],
    ['setImmediate', 'timer'],
    ['AbortSignal.timeout(5)', 'timer'],
    ['process.hrtime()', 'process'],
    ['{ process }', 'process'],
    ["console.log('a')", 'io'],
  ])('finds %s in core', async (code, rule) => {
    const found = await findings('purity', { 'src/core/a.ts': `export const a = () => (${code});\n` });
    expect(at(found)).toEqual([`src/core/a.ts:1 ${rule}`]);
  });

  it('takes dates of a given instant, properties, types, comments and texts for what they are', async () => {
    const found = await findings('purity', {
      'src/core/a.ts': `// Date.now() and Math.random() in a comment
export const text = 'Date.now()';
export const day = (ms: number) => new Date(ms).toISOString();
export const parsed = Date.parse('2024-01-01T00:00:00Z') + Date.UTC(2024, 0) + Math.floor(1.5);
export interface Timers { setTimeout: (run: () => void, ms: number) => number; process: string }
export type Later = typeof setTimeout;
export const later = (timers: Timers) => timers.setTimeout(() => undefined, 5);
export const sentence = 'a random (uniform) choice, now (and then)';
`,
    });
    expect(found).toEqual([]);
  });

  it('finds dice and timers in an engine, in modules and in SQL too', async () => {
    const found = await findings('purity', {
      'src/engines/memory/a.ts': 'export const a = () => Math.random();\n',
      'src/engines/memory/b.ts':
        "import { setTimeout as wait } from 'node:timers/promises';\nexport const b = wait;\n",
      'src/engines/memory/c.ts': "export const c = 'SELECT random()';\n",
      'src/engines/memory/d.sql': "-- unixepoch() in a comment\nSELECT 1;\nSELECT unixepoch('subsec');\n",
    });
    expect(at(found)).toEqual([
      'src/engines/memory/a.ts:1 randomness',
      'src/engines/memory/b.ts:1 timer',
      'src/engines/memory/c.ts:1 randomness',
      'src/engines/memory/d.sql:3 clock',
    ]);
  });

  it('lets each engine read the store clock once, inside now() or as the statement for it', async () => {
    const now = 'export const engine = { now: () => Date.now() };\n';
    const found = await findings('purity', {
      'src/engines/memory/a.ts': now,
      'src/engines/sqlite/a.ts': now,
      'src/engines/sqlite/b.ts': 'export class B {\n  now(): number {\n    return Date.now();\n  }\n}\n',
      'src/engines/postgres/a.ts': "export const SQL = { clock: 'SELECT now()' };\n",
      'src/engines/redis/a.ts': 'export const later = () => Date.now();\n',
    });
    expect(found).toEqual([
      'src/engines/redis/a.ts:1 clock: the clock of Date is forbidden here; it is passed in',
      'src/engines/sqlite/b.ts:3 clock: sqlite reads the store clock in a second place',
    ]);
  });

  it('leaves clocks and timers to the floors above, and the environment to cli and compose', async () => {
    const code = 'export const a = () => Date.now() + Number(process.env.A);\n';
    const found = await findings('purity', {
      'src/broker/a.ts': code,
      'src/cli/a.ts': code,
      'src/compose/a.ts': code,
      'src/core/a.test.ts': code,
    });
    expect(found).toEqual(['src/broker/a.ts:1 environment: process.env is read in cli/ and compose/ only']);
  });
});
