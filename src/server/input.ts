// What a request brings, checked: bodies, query strings, names in paths. What breaks its rule is thrown as a problem.
import type { FastifyRequest } from 'fastify';
import { type Static, type TInteger, Type } from 'typebox';
import { ApiProblem, problem } from '../core/codes.ts';
import {
  closedObject,
  describeIssues,
  type Field,
  type Fields,
  field,
  type Issue,
  type ObjectField,
  optional,
  text,
} from '../core/fields.ts';
import { isTaskId } from '../core/id.ts';
import { QUEUE_NAME } from '../core/task-schema.ts';
import { invalidRequest, notFound } from './problems.ts';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;
const CURSOR_BYTES_MAX = 4096;

/** Throws INVALID_REQUEST with `details.issues` where the value breaks a rule. */
export function checked<F extends Fields>(
  given: ObjectField<F>,
  value: unknown,
): Static<ObjectField<F>['schema']> {
  const issues: Issue[] = [];
  given.check(value, '', issues);
  if (issues.length === 0) return value as Static<ObjectField<F>['schema']>;
  throw new ApiProblem(problem('INVALID_REQUEST', describeIssues(issues), { details: { issues } }));
}

/** A body that may be left out. */
export function bodyOf(request: FastifyRequest): unknown {
  return request.body ?? {};
}

const nothing = closedObject({}, 'Nothing.');

/** For actions that take no parameters: none may be sent. */
export function refuseParameters(request: FastifyRequest): void {
  checked(nothing, bodyOf(request));
}

/** The query of a listing: filters, `limit` 1..200 (50) and `cursor`. */
export function pageQuery<F extends Fields>(filters: F, description: string) {
  const limit = optional(integerText(1, LIMIT_MAX, `Items in a page. Default ${LIMIT_DEFAULT}.`));
  const cursor = optional(text(1, CURSOR_BYTES_MAX, 'next_cursor of the page before.'));
  return closedObject({ ...filters, limit, cursor }, description);
}

/** The page asked for; what else the query holds are the listing's filters. */
export function pageOf<Q extends { limit?: unknown; cursor?: string }>({ limit, cursor, ...filters }: Q) {
  return {
    filters,
    limit: limit === undefined ? LIMIT_DEFAULT : Number(limit),
    cursor: cursor ?? null,
  };
}

/** A number in a query string. */
function integerText(minimum: number, maximum: number, description: string): Field<TInteger> {
  return field(Type.Integer({ minimum, maximum, description }), `integer ${minimum}..${maximum}`, (value) => {
    if (typeof value !== 'string' || !/^\d{1,10}$/.test(value)) return false;
    return Number(value) >= minimum && Number(value) <= maximum;
  });
}

/** The queue that a path names, to read: a name that no queue can have is one that does not exist. */
export function queueToRead(request: FastifyRequest): string {
  const { queue = '' } = request.params as { queue?: string };
  if (!QUEUE_NAME.test(queue)) throw new ApiProblem(notFound('queue'));
  return queue;
}

/** The queue that a path names, to write: it may come to be by that. */
export function queueToWrite(request: FastifyRequest): string {
  const { queue = '' } = request.params as { queue?: string };
  if (QUEUE_NAME.test(queue)) return queue;
  throw new ApiProblem(invalidRequest('queue', `name matching ${QUEUE_NAME.source}`, 'string'));
}

/** The task id that a path names; what no task can have is not found without asking the store. */
export function taskIdOf(request: FastifyRequest, what = 'task'): string {
  const { id = '' } = request.params as { id?: string };
  if (!isTaskId(id)) throw new ApiProblem(notFound(what));
  return id;
}
