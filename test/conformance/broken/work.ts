// Memory engines with one defect each in how work comes in, goes out and is done. Defects reach into the engine's
// state from outside, so that the engine itself has no switches for them.
import { type BrokenEngine, entriesOf, withSettings } from './tamper.ts';

export const BROKEN_WORK: readonly BrokenEngine[] = [
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
];
