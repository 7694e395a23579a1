// Every row of core/transitions.ts happens, and nothing that is not a row does: each state meets each event.
import assert from 'node:assert/strict';
import type { Settled } from '../../core/decision.ts';
import { MAX_DELIVERIES, TASK_STATUSES, type TaskStatus } from '../../core/task.ts';
import { TRANSITIONS, type TransitionEvent } from '../../core/transitions.ts';
import type { Lease } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { boom, type Lab } from '../lab.ts';

const FAR_MS = 400 * 86_400_000;
const TTL_MS = FAR_MS / 2;

/** A task in some state, with the last token it was given (a made-up one if none). */
interface Subject {
  readonly queue: string;
  readonly id: string;
  readonly lease: Pick<Lease, 'token'>;
}

const end = (decision: Settled['decision'], outcome: Settled['outcome']): Settled => ({
  decision,
  outcome,
  retryDelayMs: null,
});

const SETTLED = {
  succeed: end({ to: 'succeeded', result: null }, 'succeeded'),
  defer: end({ to: 'scheduled', availableAt: 0, unknownSince: null }, 'deferred'),
  release: end({ to: 'queued', cause: 'released' }, 'released'),
  lease_lost: end({ to: 'queued', cause: 'lease_lost' }, 'lease_lost'),
  retry: end({ to: 'retrying', availableAt: 0, error: boom }, 'retrying'),
  dead: end({ to: 'dead_lettered', reason: 'permanent_failure', error: boom }, 'dead_lettered'),
  failed: end({ to: 'failed', error: boom }, 'failed'),
  deadExpired: end({ to: 'dead_lettered', reason: 'expired', error: null }, 'expired'),
  expired: end({ to: 'expired', error: null }, 'expired'),
} as const;

async function settleAs(lab: Lab, { id, lease }: Subject, settled: Settled): Promise<void> {
  const at = { workerId: 'w1', startedAt: lab.at };
  await lab.engine.settle([{ id, token: lease.token, ...at, settled }], lab.call);
}

async function leased(lab: Lab, queue: string): Promise<Subject> {
  const id = await lab.add({ queue, ttlMs: TTL_MS });
  const lease = await lab.take({ queues: [{ name: queue, weight: 1 }], leaseMs: 4 * FAR_MS });
  return { queue, id, lease };
}

/** How to bring a fresh task into each state. */
const ARRIVE: Record<TaskStatus, (lab: Lab, queue: string) => Promise<Subject>> = {
  scheduled: async (lab, queue) => {
    const id = await lab.add({ queue, runAt: lab.at + 1_000, ttlMs: TTL_MS });
    return { queue, id, lease: { token: '1.made-up' } };
  },
  queued: async (lab, queue) => {
    const id = await lab.add({ queue, ttlMs: TTL_MS });
    return { queue, id, lease: { token: '1.made-up' } };
  },
  running: leased,
  retrying: async (lab, queue) => {
    const subject = await leased(lab, queue);
    const decision = { to: 'retrying', availableAt: lab.at + 1_000, error: boom } as const;
    await settleAs(lab, subject, end(decision, 'retrying'));
    return subject;
  },
  succeeded: async (lab, queue) => settledSubject(lab, queue, SETTLED.succeed),
  failed: async (lab, queue) => settledSubject(lab, queue, SETTLED.failed),
  dead_lettered: async (lab, queue) => settledSubject(lab, queue, SETTLED.dead),
  expired: async (lab, queue) => settledSubject(lab, queue, SETTLED.expired),
  cancelled: async (lab, queue) => {
    const subject = await leased(lab, queue);
    await lab.engine.cancel([subject.id], lab.call);
    await settleAs(lab, subject, SETTLED.succeed);
    return subject;
  },
};

async function settledSubject(lab: Lab, queue: string, settled: Settled): Promise<Subject> {
  const subject = await leased(lab, queue);
  await settleAs(lab, subject, settled);
  return subject;
}

type Cause = (lab: Lab, subject: Subject) => Promise<void>;

const settles = (...all: readonly Settled[]): Cause[] =>
  all.map((settled) => (lab, subject) => settleAs(lab, subject, settled));

const withPatch = (patch: Parameters<Lab['configure']>[0], cause: Cause): Cause => {
  return async (lab, subject) => {
    await lab.configure(patch, subject.queue);
    await cause(lab, subject);
  };
};

const reserveOne: Cause = async (lab, { queue }) => {
  await lab.reserve({ queues: [{ name: queue, weight: 1 }], leaseMs: 4 * FAR_MS });
};

/** Expiry of what waits is the store's pass; of what runs, a decision like any other. */
const expires = (settled: Settled): Cause => {
  return async (lab, subject) => {
    if ((await lab.status(subject.id)) === 'running') return settleAs(lab, subject, settled);
    lab.advance(TTL_MS + 1);
    await lab.expire();
  };
};

/** Ways to make each event happen; where the table has several ends, one way for each. */
const CAUSES: Record<Exclude<TransitionEvent, 'submit_due' | 'submit_delayed'>, readonly Cause[]> = {
  promote: [
    async (lab) => {
      lab.advance(2_000);
      await lab.promote();
    },
  ],
  reserve: [reserveOne],
  poison: [],
  succeed: settles(SETTLED.succeed),
  retry: settles(SETTLED.retry),
  give_up: settles(SETTLED.dead, SETTLED.failed),
  defer: settles(SETTLED.defer),
  release: settles(SETTLED.release),
  lease_lost: settles(SETTLED.lease_lost),
  stop: Object.values(SETTLED).map((settled): Cause => {
    return async (lab, subject) => {
      // Only what runs can be stopped; a waiting task would be cancelled at once, which is another event.
      if ((await lab.status(subject.id)) === 'running') await lab.engine.cancel([subject.id], lab.call);
      await settleAs(lab, subject, settled);
    };
  }),
  cancel: [
    async (lab, { id }) => {
      await lab.engine.cancel([id], lab.call);
    },
  ],
  purge: [
    async (lab, { queue }) => {
      await lab.engine.purge(queue, lab.call);
    },
  ],
  expire: [
    expires(SETTLED.deadExpired),
    withPatch({ deadLetterOnExpiry: false }, expires(SETTLED.expired)),
    withPatch({ deadLetter: false }, expires(SETTLED.expired)),
  ],
  redrive: [
    async (lab, { id }) => {
      await lab.engine.redrive({ ids: [id] }, lab.call);
    },
  ],
  discard: [
    async (lab, { id }) => {
      await lab.engine.discard([id], lab.call);
    },
  ],
  prune: [
    async (lab) => {
      lab.advance(FAR_MS);
      // The first pass takes a letter out of the DLQ; its retention as a record starts only then.
      await lab.prune();
      lab.advance(FAR_MS);
      await lab.prune();
    },
  ],
};

function endsOf(from: TaskStatus | null, event: TransitionEvent): (TaskStatus | null)[] {
  return TRANSITIONS.filter((row) => row.from === from && row.event === event).map(({ to }) => to);
}

export const transitions = chapter('transitions', (test) => {
  for (const from of TASK_STATUSES) {
    test(`every event on a task that is ${from}`, {}, async (lab) => {
      for (const [event, causes] of Object.entries(CAUSES) as [keyof typeof CAUSES, readonly Cause[]][]) {
        const seen = new Set<TaskStatus | null>();
        for (const cause of causes) {
          const subject = await ARRIVE[from](lab, lab.unique('queue'));
          assert.equal(await lab.status(subject.id), from);
          await cause(lab, subject);
          seen.add((await lab.find(subject.id))?.status ?? null);
        }
        if (causes.length === 0) continue;
        const legal = endsOf(from, event);
        const expected = legal.length === 0 ? [from] : legal;
        assert.deepEqual([...seen].sort(), [...expected].sort(), `${event} on ${from}`);
      }
    });
  }

  test('a submit makes a queued or a scheduled task, as the table says', {}, async (lab) => {
    const due = await lab.add();
    const delayed = await lab.add({ runAt: lab.at + 1 });
    assert.deepEqual(endsOf(null, 'submit_due'), [await lab.status(due)]);
    assert.deepEqual(endsOf(null, 'submit_delayed'), [await lab.status(delayed)]);
  });

  test('poison: the 1001st delivery ends the task instead', { maxScheduled: 0 }, async (lab) => {
    const ends: (TaskStatus | null)[] = [];
    for (const deadLetter of [true, false]) {
      const queue = lab.unique('queue');
      await lab.configure({ deadLetter }, queue);
      const id = await lab.add({ queue });
      const from = { queues: [{ name: queue, weight: 1 }] };
      for (let i = 0; i < MAX_DELIVERIES; i += 1) await lab.end(await lab.take(from), { kind: 'release' });
      assert.equal((await lab.get(id)).deliveries, MAX_DELIVERIES);
      assert.deepEqual(await lab.reserve(from), []);
      const task = await lab.get(id);
      ends.push(task.status);
      assert.equal(task.deadLetter?.reason ?? null, deadLetter ? 'too_many_deliveries' : null);
      assert.deepEqual([task.deliveries, task.attempt], [MAX_DELIVERIES, 0]);
    }
    assert.deepEqual(ends.sort(), endsOf('queued', 'poison').sort());
  });

  test('a final status changes by redrive only, and opens a new generation', {}, async (lab) => {
    const id = await lab.addDead();
    await lab.engine.redrive({ ids: [id] }, lab.call);
    assert.equal((await lab.get(id)).generation, 2);
  });
});
