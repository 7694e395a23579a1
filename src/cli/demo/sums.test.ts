import { describe, expect, it } from 'vitest';
import type { QueueView, SystemView, Totals } from '../wire.ts';
import { Ledger } from './ledger.ts';
import { sumLines } from './sums.ts';

/** Two queues, five tasks taken, two refusals, one redrive: what an honest run leaves. */
function honest(): { ledger: Ledger; system: SystemView } {
  const ledger = new Ledger();
  ledger.sent = 7;
  for (const [id, queue, status] of [
    ['a', 'one', 'succeeded'],
    ['b', 'one', 'succeeded'],
    ['c', 'one', 'dead_lettered'],
    ['d', 'two', 'succeeded'],
    ['e', 'two', 'cancelled'],
  ] as const) {
    ledger.accepted(id, queue).status = status;
  }
  ledger.refusals.push({ queue: 'one', code: 'QUEUE_FULL', retryAfterS: 1 });
  ledger.refusals.push({ queue: 'one', code: 'QUEUE_FULL', retryAfterS: 5 });
  const [, , dead] = ledger.receipts;
  if (dead) ledger.redrives.push(dead);
  const one = view('one', { accepted: 3, succeeded: 2, dead_lettered: 2, redriven: 1 }, { dead_lettered: 1 });
  const two = view('two', { accepted: 2, succeeded: 1, cancelled: 1 }, {});
  return {
    ledger,
    system: { pending: 0, max_pending: 100, saturated: false, queues: [one, two], next_cursor: null },
  };
}

function view(queue: string, totals: Partial<Totals>, more: Partial<QueueView>): QueueView {
  const zero = {
    accepted: 0,
    succeeded: 0,
    failed: 0,
    dead_lettered: 0,
    cancelled: 0,
    expired: 0,
    redriven: 0,
  };
  const counts = {
    depth: 0,
    queued: 0,
    running: 0,
    scheduled: 0,
    retrying: 0,
    dead_lettered: 0,
    bytes: 0,
    limit: 9,
  };
  const state = { paused: false, saturated: false, oldest_age_ms: null };
  return { queue, totals: { ...zero, ...totals }, ...counts, ...state, ...more };
}

const broken = ({ ledger, system }: ReturnType<typeof honest>) =>
  sumLines(ledger, system).filter((line) => !line.holds);

describe('sumLines', () => {
  it('holds for an honest run', () => {
    expect(broken(honest())).toEqual([]);
  });

  const [first] = honest().system.queues;
  const names = first === undefined ? [] : (Object.keys(first.totals) as (keyof Totals)[]);
  it.each(names)('is broken by a server that miscounts %s by one, either way', (name) => {
    for (const step of [1, -1]) {
      const run = honest();
      const queues = run.system.queues.map((queue, i) =>
        i === 0 ? { ...queue, totals: { ...queue.totals, [name]: queue.totals[name] + step } } : queue,
      );
      expect(broken({ ...run, system: { ...run.system, queues } })).not.toEqual([]);
    }
  });

  it.each(['queued', 'running', 'scheduled', 'retrying', 'dead_lettered'] as const)(
    'is broken by %s left behind',
    (name) => {
      const run = honest();
      const queues = run.system.queues.map((queue) => ({ ...queue, [name]: queue[name] + 1 }));
      expect(broken({ ...run, system: { ...run.system, queues } })).not.toEqual([]);
    },
  );

  it('is broken by a lost receipt, a task that ended otherwise, a refusal without a time', () => {
    const lost = honest();
    lost.ledger.receipts.pop();
    expect(broken(lost)).not.toEqual([]);
    const otherwise = honest();
    for (const receipt of otherwise.ledger.receipts) if (receipt.id === 'd') receipt.status = 'failed';
    expect(broken(otherwise)).not.toEqual([]);
    const silent = honest();
    silent.ledger.refusals[0] = { queue: 'one', code: 'QUEUE_FULL', retryAfterS: null };
    expect(broken(silent)).toHaveLength(1);
  });

  it('is broken by a queue that is missing, unknown or not countable', () => {
    const run = honest();
    expect(broken({ ...run, system: { ...run.system, queues: run.system.queues.slice(1) } })).not.toEqual([]);
    const extra = view('three', { accepted: 1, succeeded: 1 }, {});
    expect(broken({ ...run, system: { ...run.system, queues: [...run.system.queues, extra] } })).not.toEqual(
      [],
    );
    const odd = run.system.queues.map((queue) => ({ ...queue, totals: {} as Totals }));
    expect(broken({ ...run, system: { ...run.system, queues: odd } })).not.toEqual([]);
  });
});
