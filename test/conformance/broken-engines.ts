// Memory engines with one defect each, and the chapter that must find it. Defects reach into the engine's state
// from outside, so that the engine itself has no switches for them.

import type { QueueSettings } from '../../src/core/settings.ts';
import type { Engine } from '../../src/engine/port.ts';
import type { State } from '../../src/engines/memory/state.ts';

export interface BrokenEngine {
  readonly name: string;
  /** The chapter that must turn red; others may too. */
  readonly chapter: string;
  /** The methods that are wrong, over the right engine and its state. */
  readonly wrong: (right: Engine, state: State) => Partial<Engine>;
}

const entriesOf = (state: State) => [...state.tasks.values()];

/** Runs with other settings in force, and puts the old ones back. */
async function withSettings<T>(
  state: State,
  change: (settings: QueueSettings) => Partial<QueueSettings>,
  run: () => Promise<T>,
): Promise<T> {
  const kept = [...state.queues.values()].map((queue) => [queue, queue.settings] as const);
  for (const [queue, settings] of kept) queue.settings = { ...settings, ...change(settings) };
  try {
    return await run();
  } finally {
    for (const [queue, settings] of kept) queue.settings = settings;
  }
}

export const BROKEN: readonly BrokenEngine[] = [
  {
    name: 'answers a batch back to front',
    chapter: 'batches',
    wrong: (right) => ({
      cancel: async (ids, call) => (await right.cancel(ids, call)).toReversed(),
    }),
  },
  {
    name: 'forgets the time to live of delayed work',
    chapter: 'submit',
    wrong: (right) => ({
      submit: (batch, call) =>
        right.submit(
          batch.map((task) => (task.runAt === null ? task : { ...task, ttlMs: null })),
          call,
        ),
    }),
  },
  {
    name: 'lets one more in than max_depth',
    chapter: 'admission',
    wrong: (right, state) => ({
      submit: (batch, call) =>
        withSettings(
          state,
          ({ maxDepth }) => ({ maxDepth: maxDepth + 1 }),
          () => right.submit(batch, call),
        ),
    }),
  },
  {
    name: 'loses the fingerprint of a key',
    chapter: 'idempotency',
    wrong: (right) => ({
      submit: (batch, call) =>
        right.submit(
          batch.map((task) => ({ ...task, fingerprint: task.fingerprint && 'same' })),
          call,
        ),
    }),
  },
  {
    name: 'starts the newest first',
    chapter: 'order',
    wrong: (right, state) => ({
      submit: async (batch, call) => {
        const results = await right.submit(batch, call);
        for (const entry of entriesOf(state)) {
          if (entry.task.status !== 'queued' || entry.place < 0) continue;
          entry.queue.lines.leave(entry);
          entry.queue.lines.join(entry, 'head');
        }
        return results;
      },
    }),
  },
  {
    name: 'starves all tenants but one',
    chapter: 'tenants',
    wrong: (right, state) => ({
      reserve: (want, call) => {
        const [first = ''] = entriesOf(state).map(({ task }) => task.tenant);
        return withSettings(
          state,
          () => ({ tenantWeights: { [first]: 720_720 } }),
          () => right.reserve(want, call),
        );
      },
    }),
  },
  {
    name: 'forgets request ids',
    chapter: 'reserve',
    wrong: (right) => {
      let count = 0;
      return {
        reserve: (want, call) => {
          count += 1;
          return right.reserve({ ...want, requestId: `${want.requestId}#${count}` }, call);
        },
      };
    },
  },
  {
    name: 'does not keep the rate',
    chapter: 'pace',
    wrong: (right, state) => ({
      reserve: (want, call) =>
        withSettings(
          state,
          () => ({ rate: null }),
          () => right.reserve(want, call),
        ),
    }),
  },
  {
    name: 'hands out while paused',
    chapter: 'pause',
    wrong: (right, state) => ({
      reserve: async (want, call) => {
        const kept = [...state.queues.values()].map((queue) => [queue, queue.paused] as const);
        for (const [queue] of kept) queue.paused = null;
        const reply = await right.reserve(want, call);
        for (const [queue, paused] of kept) queue.paused = paused;
        return reply;
      },
    }),
  },
  {
    name: 'settles under any token',
    chapter: 'leases',
    wrong: (right, state) => ({
      settle: (batch, call) =>
        right.settle(
          batch.map((one) => ({ ...one, token: state.tasks.get(one.id)?.lease?.token ?? one.token })),
          call,
        ),
    }),
  },
  {
    name: 'counts a repeated settlement again',
    chapter: 'leases',
    wrong: (right, state) => ({
      settle: async (batch, call) => {
        const results = await right.settle(batch, call);
        results.forEach(({ outcome, status }, i) => {
          const queue = state.tasks.get(batch[i]?.id ?? '')?.queue;
          if (outcome === 'already_settled' && status === 'succeeded' && queue) queue.totals.succeeded += 1;
        });
        return results;
      },
    }),
  },
  {
    name: 'says extended and does nothing',
    chapter: 'extend',
    wrong: (_right, state) => ({
      extend: async (batch) =>
        batch.map(({ id, token }) =>
          state.tasks.get(id)?.lease?.token === token ? 'extended' : 'lease_lost',
        ),
    }),
  },
  {
    name: 'drops the last error at success',
    chapter: 'settle',
    wrong: (right, state) => ({
      settle: async (batch, call) => {
        const results = await right.settle(batch, call);
        for (const entry of entriesOf(state)) {
          if (entry.task.status === 'succeeded') entry.task = { ...entry.task, lastError: null };
        }
        return results;
      },
    }),
  },
  {
    name: 'spends an attempt on a release',
    chapter: 'attempts',
    wrong: (right, state) => ({
      settle: async (batch, call) => {
        const results = await right.settle(batch, call);
        for (const { id, settled } of batch) {
          const entry = state.tasks.get(id);
          if (entry && settled.outcome === 'released' && entry.task.status === 'queued') {
            entry.task = { ...entry.task, attempt: entry.task.attempt + 1 };
          }
        }
        return results;
      },
    }),
  },
  {
    name: 'reaps without a new token',
    chapter: 'reap',
    wrong: (right, state) => ({
      reap: async (want, call) => {
        const before = new Map(entriesOf(state).map((entry) => [entry.task.id, entry.lease?.token]));
        const { leases, nextAt } = await right.reap(want, call);
        const kept = leases.map((lease) => {
          const entry = state.tasks.get(lease.task.id);
          const token = before.get(lease.task.id) ?? lease.token;
          if (entry?.lease) entry.lease = { ...entry.lease, token };
          return { ...lease, token };
        });
        return { leases: kept, nextAt };
      },
    }),
  },
  {
    name: 'forgets that a cancel was asked for',
    chapter: 'cancel',
    wrong: (right, state) => ({
      settle: (batch, call) => {
        for (const entry of entriesOf(state)) entry.task = { ...entry.task, cancelRequested: false };
        return right.settle(batch, call);
      },
    }),
  },
  {
    name: 'redrives what has succeeded',
    chapter: 'transitions',
    wrong: (right, state) => ({
      redrive: (pick, call) => {
        for (const id of pick.ids) {
          const entry = state.tasks.get(id);
          if (entry?.task.status === 'succeeded') entry.task = { ...entry.task, inDlq: true };
        }
        return right.redrive(pick, call);
      },
    }),
  },
  {
    name: 'promotes a millisecond early',
    chapter: 'promote',
    wrong: (right) => ({
      promote: (limit, call) => right.promote(limit, { ...call, at: call.at + 1 }),
    }),
  },
  {
    name: 'hands out what has expired',
    chapter: 'expire',
    wrong: (right, state) => ({
      reserve: async (want, call) => {
        const kept = entriesOf(state).map((entry) => [entry, entry.task.expiresAt] as const);
        for (const [entry] of kept) entry.task = { ...entry.task, expiresAt: null };
        const reply = await right.reserve(want, call);
        for (const [entry, expiresAt] of kept) entry.task = { ...entry.task, expiresAt };
        return reply;
      },
    }),
  },
  {
    name: 'begins the tokens again at a redrive',
    chapter: 'redrive',
    wrong: (right, state) => ({
      redrive: async (pick, call) => {
        const results = await right.redrive(pick, call);
        for (const id of pick.ids) {
          const entry = state.tasks.get(id);
          if (entry) entry.tokenNumber = 0;
        }
        return results;
      },
    }),
  },
  {
    name: 'drops dead letters in silence',
    chapter: 'dead letters',
    wrong: (right) => ({
      subscribe: (listener) =>
        right.subscribe((events) => listener(events.filter(({ type }) => type !== 'DLQ_DROPPED'))),
    }),
  },
  {
    name: 'miscounts a purge',
    chapter: 'purge',
    wrong: (right) => ({
      purge: async (queue, call) => {
        const { purged, epoch } = await right.purge(queue, call);
        return { purged: purged + 1, epoch };
      },
    }),
  },
  {
    name: 'prunes a second early',
    chapter: 'prune',
    wrong: (right) => ({
      prune: (limit, call) => right.prune(limit, { ...call, at: call.at + 1_000 }),
    }),
  },
  {
    name: 'lets a counter drift at each release',
    chapter: 'counters',
    wrong: (right, state) => ({
      settle: async (batch, call) => {
        const results = await right.settle(batch, call);
        for (const { id, settled } of batch) {
          const queue = state.tasks.get(id)?.queue;
          if (queue && settled.outcome === 'released') queue.bytes += 1;
        }
        return results;
      },
    }),
  },
  {
    name: 'skips one task between two pages',
    chapter: 'listing',
    wrong: (right) => ({
      list: async (query, call) => {
        const { items, next } = await right.list(query, call);
        return { items: query.cursor === null ? items : items.slice(1), next };
      },
    }),
  },
  {
    name: 'does not count versions of settings',
    chapter: 'settings',
    wrong: (right, state) => ({
      configure: async (change, call) => {
        const result = await right.configure(change, call);
        const queue = state.queues.get(change.queue);
        if (queue) queue.settingsVersion = 0;
        return result;
      },
    }),
  },
  {
    name: 'starts a worker anew with each beat',
    chapter: 'workers',
    wrong: (right, state) => ({
      workers: {
        ...right.workers,
        beat: (beat, call) => {
          state.workers.delete(beat.workerId);
          return right.workers.beat(beat, call);
        },
      },
    }),
  },
  {
    name: 'lists the audit oldest first',
    chapter: 'audit',
    wrong: (right) => ({
      audit: {
        ...right.audit,
        list: async (query, call) => {
          const { items, next } = await right.audit.list(query, call);
          return { items: items.toReversed(), next };
        },
      },
    }),
  },
  {
    name: 'tells of duplicates that were conflicts',
    chapter: 'events',
    wrong: (right, state) => ({
      submit: async (batch, call) => {
        const results = await right.submit(batch, call);
        const conflict = results.find(({ outcome }) => outcome === 'conflict');
        const entry = conflict && 'id' in conflict ? state.tasks.get(conflict.id) : undefined;
        if (entry) {
          const { id: taskId, queue, type: taskType, attempt } = entry.task;
          const about = { taskId, queue, taskType, attempt, workerId: null, details: {} };
          await right.publish([{ type: 'DUPLICATE_ABSORBED', at: call.at, ...about }], call);
        }
        return results;
      },
    }),
  },
  {
    name: 'wakes nobody after a promotion',
    chapter: 'watch',
    wrong: (right) => {
      let promoted = false;
      return {
        promote: (limit, call) => {
          promoted = true;
          return right.promote(limit, call);
        },
        watch: (queues, wake) => {
          promoted = false;
          return right.watch(queues, () => {
            if (!promoted) wake();
          });
        },
      };
    },
  },
  {
    name: 'sends payloads through JSON',
    chapter: 'values',
    wrong: (right) => ({
      submit: (batch, call) =>
        right.submit(
          batch.map((task) => ({ ...task, payload: JSON.stringify(JSON.parse(task.payload || '""')) })),
          call,
        ),
    }),
  },
  {
    name: 'claims to be durable',
    chapter: 'capabilities',
    wrong: (right) => ({ capabilities: { ...right.capabilities, durable: true } }),
  },
  {
    name: 'answers after it was closed',
    chapter: 'closing',
    wrong: (right) => ({
      load: (queues, call) => right.load(queues, call).catch(() => queues.map(() => null)),
    }),
  },
];
