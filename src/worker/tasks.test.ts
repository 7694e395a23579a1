import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTasks } from './load.ts';
import { defineTask, handlerMap } from './tasks.ts';

describe('defineTask', () => {
  it('hands a sound definition back', () => {
    const task = { type: 'greet', handler: () => 'hello' };
    expect(defineTask(task)).toBe(task);
  });

  it.each<[unknown, RegExp]>([
    [{ type: 'a b', handler: () => 1 }, /type must match/],
    [{ type: 'x' }, /must be a function/],
    [{ type: 'x', handler: () => 1, retires: 3 }, /unknown field retires/],
    [{ typ: 'x', handler: () => 1 }, /unknown field typ \(did you mean type\?\)/],
    [null, /object/],
  ])('refuses %o', (definition, message) => {
    expect(() => defineTask(definition as never)).toThrow(message);
  });

  it('refuses a type twice', () => {
    const task = { type: 'x', handler: () => 1 };
    expect(() => handlerMap([task, { ...task }])).toThrow('type x is defined twice');
    expect(handlerMap([task]).get('constructor')).toBeUndefined();
  });
});

describe('loadTasks', () => {
  let folder = '';
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-load-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('takes TypeScript, JavaScript and CommonJS; named, default and lists', async () => {
    const files = [
      await file('a.ts', 'const n: number = 1; export const one = { type: "one", handler: () => n };'),
      await file('b.mjs', 'export default [{ type: "two", handler: () => 2 }]; export const other = 5;'),
      await file('c.cjs', 'module.exports = { three: { type: "three", handler: () => 3 } };'),
      await file('d.mts', 'const x = { type: "four", handler: () => 4 }; export { x, x as default };'),
    ];
    const tasks = await loadTasks(files);
    expect(tasks.map((task) => task.type)).toEqual(['one', 'two', 'three', 'four']);
  });

  it('names the file and what is wrong with it', async () => {
    await expect(loadTasks([await file('none.mjs', 'export const x = 1;')])).rejects.toThrow(
      /none\.mjs exports no task/,
    );
    const broken = await file('broken.mjs', 'export const x = { type: "a", handler: 3 };');
    await expect(loadTasks([broken])).rejects.toThrow(/broken\.mjs: the handler of a must be a function/);
    await expect(loadTasks([await file('throws.ts', 'throw new Error("at load");')])).rejects.toThrow(
      /throws\.ts.*at load/,
    );
    const needs = await file(
      'needs.ts',
      'import { defineTask } from "sluice"; export const x = defineTask({});',
    );
    await expect(loadTasks([needs])).rejects.toThrow(/install sluice beside it/);
    await expect(loadTasks([join(folder, 'absent.mjs')])).rejects.toThrow(/absent\.mjs cannot be loaded/);
  });
});
