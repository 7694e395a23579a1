// Memory engines with one defect each in what becomes of work that waits or has ended, and in what is known about it.
import { type BrokenEngine, entriesOf } from './tamper.ts';

export const BROKEN_KEEPING: readonly BrokenEngine[] = [
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
