// Loads task definitions from the user's files: TypeScript or JavaScript, without a build step.
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tsImport } from 'tsx/esm/api';
import { brokenDefinition, type TaskDefinition } from './tasks.ts';

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx']);

/** Every task that the files export, in order. Throws an Error that names the file and what is wrong with it. */
export async function loadTasks(files: readonly string[]): Promise<TaskDefinition[]> {
  const tasks: TaskDefinition[] = [];
  for (const file of files) tasks.push(...tasksOf(file, await load(file)));
  return tasks;
}

async function load(file: string): Promise<unknown> {
  const url = pathToFileURL(resolve(file)).href;
  try {
    return TYPESCRIPT.has(extname(file)) ? await tsImport(url, import.meta.url) : await import(url);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown);
    throw new Error(`${file} cannot be loaded: ${reason}${hintFor(reason)}`, { cause: thrown });
  }
}

/** With a global install, the user's folder has no package of that name. */
function hintFor(reason: string | undefined): string {
  if (!/Cannot find (package|module) 'sluice'/.test(reason ?? '')) return '';
  return ' (install sluice beside it, or export plain objects {type, handler})';
}

function tasksOf(file: string, module: unknown): TaskDefinition[] {
  const found = new Set<unknown>();
  for (const value of exportsOf(module)) {
    for (const item of Array.isArray(value) ? value : [value]) if (looksLikeTask(item)) found.add(item);
  }
  if (found.size === 0)
    throw new Error(`${file} exports no task; export one made by defineTask({type, handler})`);
  return [...found].map((item) => {
    const broken = brokenDefinition(item);
    if (broken !== null) throw new Error(`${file}: ${broken}`);
    return item as TaskDefinition;
  });
}

/** A CommonJS file shows its exports once more under `default`. */
function exportsOf(module: unknown): unknown[] {
  if (typeof module !== 'object' || module === null) return [];
  const values = Object.values(module);
  const inner = (module as { default?: unknown }).default;
  const nested =
    typeof inner === 'object' && inner !== null && !looksLikeTask(inner) ? Object.values(inner) : [];
  return [...values, ...nested];
}

/** Near enough to be meant as one; whether it is sound is checked afterwards. */
function looksLikeTask(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && 'handler' in value;
}
