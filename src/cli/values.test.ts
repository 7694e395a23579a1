import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { durationMs, integer, jsonArgument, queueWeights, settingsPatch } from './values.ts';

it.each([
  ['1500', 1500],
  ['250ms', 250],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['3h', 10_800_000],
  ['1d', 86_400_000],
  ['0', 0],
])('durationMs reads %s', (text, ms) => {
  expect(durationMs(text)).toBe(ms);
});

it.each(['', '-1', '1 s', '5w', 's', '1e3', 'NaN', '1.s'])('durationMs refuses %j', (text) => {
  expect(() => durationMs(text)).toThrow('expected a duration');
});

it('integer takes whole numbers only', () => {
  expect(integer('-3')).toBe(-3);
  for (const text of ['1.5', '', '1e3', '0x10', '9'.repeat(16)]) expect(() => integer(text)).toThrow();
});

it('jsonArgument reads JSON and files, and says what it could not read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-values-'));
  try {
    await writeFile(join(folder, 'p.json'), '{"a":[1]}');
    expect(jsonArgument('{"b":2}')).toEqual({ b: 2 });
    expect(jsonArgument(`@${join(folder, 'p.json')}`)).toEqual({ a: [1] });
    expect(() => jsonArgument(`@${join(folder, 'no.json')}`)).toThrow(/cannot read .*ENOENT/);
    expect(() => jsonArgument('{oops')).toThrow('expected JSON');
    await writeFile(join(folder, 'bad.json'), '{oops');
    expect(() => jsonArgument(`@${join(folder, 'bad.json')}`)).toThrow(
      /bad\.json is not JSON \(at position 1\)/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('settingsPatch reads values as JSON where they are, default as null', () => {
  const patch = settingsPatch([
    'max_depth=25',
    'rate={"limit":1}',
    'dead_letter=false',
    'lease_ms=default',
    'x=a=b',
  ]);
  expect({ ...patch }).toEqual({
    max_depth: 25,
    rate: { limit: 1 },
    dead_letter: false,
    lease_ms: null,
    x: 'a=b',
  });
  expect(Object.keys(settingsPatch(['__proto__=1']))).toEqual(['__proto__']);
  expect(() => settingsPatch(['max_depth'])).toThrow('expected setting=value');
});

it('queueWeights reads names and weights', () => {
  expect(queueWeights(['a', 'b=3'])).toEqual([
    { name: 'a', weight: 1 },
    { name: 'b', weight: 3 },
  ]);
  for (const texts of [['A'], ['a=0'], ['a=1001'], ['a='], ['a', 'a=2']]) {
    expect(() => queueWeights(texts)).toThrow('--queue');
  }
});
