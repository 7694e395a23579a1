// How code says which task types it handles.
import { didYouMean } from '../core/suggest.ts';
import type { Handler, HandlerContext } from './handler.ts';

/** One task type and the code for it. */
export interface TaskDefinition<Payload = unknown, Result = unknown> {
  /** `^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$` */
  readonly type: string;
  /** A method, so that a task with a payload of its own still fits into a list of any tasks. */
  handler(payload: Payload, ctx: HandlerContext): Result | Promise<Result>;
}

const TYPE = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const FIELDS = ['type', 'handler'];

/** Checks a definition and hands it back, with the types of its payload and result. Throws a TypeError for a bad one. */
export function defineTask<Payload = unknown, Result = unknown>(
  definition: TaskDefinition<Payload, Result>,
): TaskDefinition<Payload, Result> {
  const broken = brokenDefinition(definition);
  if (broken !== null) throw new TypeError(`defineTask: ${broken}`);
  return definition;
}

/** A map, so that `constructor` is a name like any other. Throws a TypeError for a bad or a repeated type. */
export function handlerMap(definitions: Iterable<TaskDefinition>): ReadonlyMap<string, Handler> {
  const handlers = new Map<string, Handler>();
  for (const definition of definitions) {
    const broken = brokenDefinition(definition);
    if (broken !== null) throw new TypeError(broken);
    if (handlers.has(definition.type)) throw new TypeError(`type ${definition.type} is defined twice`);
    handlers.set(definition.type, (payload, ctx) => definition.handler(payload, ctx));
  }
  return handlers;
}

/** What is wrong with a would-be definition; null for a sound one. */
export function brokenDefinition(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return 'a definition is an object with type and handler';
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return `unknown field ${unknown}${didYouMean(unknown, FIELDS)}`;
  const { type, handler } = value as { type?: unknown; handler?: unknown };
  if (typeof type !== 'string' || !TYPE.test(type)) return `type must match ${TYPE.source}`;
  if (typeof handler !== 'function') return `the handler of ${type} must be a function`;
  return null;
}
