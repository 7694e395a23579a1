// Group commit: all calls that wait run in one transaction, and nobody hears of it before it is committed.
//
// A call that fails takes its whole transaction with it; then each call of the group runs in one of its own, so that only
// the failing one is refused. Savepoints would spare that second run, and cost every group two statements per call for
// what nearly never happens (docs/decisions/0008).

import { EngineError } from '../../engine/errors.ts';
import type { Call } from '../../engine/messages.ts';
import { type Failure, toFailure } from './failures.ts';
import { isRead, type OperationName, run } from './operations.ts';
import type { News, SqliteStore } from './sqlite-store.ts';

export interface Request {
  readonly name: OperationName;
  readonly input: unknown;
  readonly call: Call;
}

export type Reply = { readonly ok: unknown } | { readonly failure: Failure };

export interface GroupReply {
  /** In the order of the requests. */
  readonly replies: readonly Reply[];
  readonly news: News;
}

const NO_NEWS: News = { events: [], woken: [] };

export function runGroup(store: SqliteStore, requests: readonly Request[]): GroupReply {
  if (requests.every(({ name }) => isRead(name))) {
    return { replies: requests.map((request) => answer(store, request)), news: NO_NEWS };
  }
  const whole = transaction(store, requests);
  if ('replies' in whole) return whole;
  if (requests.length === 1 || !whole.ofOneCall) {
    return { replies: requests.map(() => ({ failure: whole.failure })), news: NO_NEWS };
  }
  const alone = requests.map((request) => runGroup(store, [request]));
  return {
    replies: alone.flatMap(({ replies }) => replies),
    news: {
      events: alone.flatMap(({ news }) => news.events),
      woken: [...new Set(alone.flatMap(({ news }) => news.woken))],
    },
  };
}

interface RolledBack {
  readonly failure: Failure;
  /** The others would have gone well without it. */
  readonly ofOneCall: boolean;
}

function transaction(store: SqliteStore, requests: readonly Request[]): GroupReply | RolledBack {
  let committing = false;
  try {
    store.begin();
    const replies = requests.map((request): Reply => {
      try {
        return { ok: run(store, request.name, request.input, request.call) };
      } catch (error) {
        // By contract an EngineError refuses the call before it has written anything.
        if (error instanceof EngineError) return { failure: toFailure(error) };
        throw error;
      }
    });
    committing = true;
    return { replies, news: store.commit() };
  } catch (error) {
    store.rollback();
    const failure = toFailure(error);
    // A file that could not be read or written while it was committed: nobody knows what is in it now.
    const unknown = committing && failure.code === 'STORE_UNAVAILABLE';
    // A lock that another program holds is in everybody's way, and was waited for long enough.
    const ofOneCall = failure.code !== 'STORE_UNAVAILABLE';
    return { failure: unknown ? { ...failure, outcome: 'unknown' } : failure, ofOneCall };
  }
}

function answer(store: SqliteStore, { name, input, call }: Request): Reply {
  try {
    return { ok: run(store, name, input, call) };
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
