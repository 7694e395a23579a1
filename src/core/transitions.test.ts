import { describe, expect, it } from 'vitest';
import { FINAL_STATUSES, isFinal, TASK_STATUSES, type TaskStatus } from './task.ts';
import { eventsOf, isLegal, TRANSITIONS, type TransitionEvent } from './transitions.ts';

type Place = TaskStatus | null;
const PLACES: readonly Place[] = [null, ...TASK_STATUSES];

/** The table of the design, written down a second time: from, event, every status it may lead to. */
const EXPECTED: readonly [Place, TransitionEvent, readonly Place[]][] = [
  [null, 'submit_due', ['queued']],
  [null, 'submit_delayed', ['scheduled']],
  ['scheduled', 'promote', ['queued']],
  ['scheduled', 'cancel', ['cancelled']],
  ['scheduled', 'purge', ['cancelled']],
  ['scheduled', 'expire', ['dead_lettered', 'expired']],
  ['queued', 'reserve', ['running']],
  ['queued', 'poison', ['dead_lettered', 'failed']],
  ['queued', 'cancel', ['cancelled']],
  ['queued', 'purge', ['cancelled']],
  ['queued', 'expire', ['dead_lettered', 'expired']],
  ['running', 'succeed', ['succeeded']],
  ['running', 'retry', ['retrying']],
  ['running', 'give_up', ['dead_lettered', 'failed']],
  ['running', 'defer', ['scheduled']],
  ['running', 'release', ['queued']],
  ['running', 'lease_lost', ['queued']],
  ['running', 'stop', ['cancelled']],
  ['running', 'expire', ['dead_lettered', 'expired']],
  ['retrying', 'promote', ['queued']],
  ['retrying', 'cancel', ['cancelled']],
  ['retrying', 'purge', ['cancelled']],
  ['retrying', 'expire', ['dead_lettered', 'expired']],
  ['dead_lettered', 'redrive', ['queued']],
  ['dead_lettered', 'discard', ['dead_lettered']],
  ['succeeded', 'prune', [null]],
  ['failed', 'prune', [null]],
  ['dead_lettered', 'prune', [null]],
  ['cancelled', 'prune', [null]],
  ['expired', 'prune', [null]],
];
const EVENTS = [...new Set(EXPECTED.map(([, event]) => event))];

describe('the transition table', () => {
  const expected = new Map(EXPECTED.map(([from, event, tos]) => [`${from} ${event}`, tos]));

  for (const from of PLACES) {
    it(`has exactly the legal pairs of ${from ?? 'no task'}`, () => {
      for (const event of EVENTS) {
        const legal = expected.get(`${from} ${event}`) ?? [];
        for (const to of PLACES) {
          expect(isLegal(from, event, to), `${from} --${event}--> ${to}`).toBe(legal.includes(to));
        }
      }
      const events = EXPECTED.filter(([start]) => start === from).map(([, event]) => event);
      expect(eventsOf(from).sort()).toEqual(events.sort());
    });
  }

  it('has no row twice and no event that is not in the design', () => {
    const rows = TRANSITIONS.map(({ from, event, to }) => `${from} ${event} ${to}`);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toHaveLength(EXPECTED.reduce((sum, [, , tos]) => sum + tos.length, 0));
  });

  it('changes a final status by redrive alone (I3)', () => {
    for (const { from, event, to } of TRANSITIONS) {
      if (from !== null && isFinal(from) && to !== null && to !== from) expect(event).toBe('redrive');
    }
  });

  it('leads from every status to a final one, and from nothing to every status', () => {
    const reach = (from: Place): Set<Place> => {
      const seen = new Set<Place>([from]);
      for (const place of seen) for (const row of TRANSITIONS) if (row.from === place) seen.add(row.to);
      return seen;
    };
    for (const status of TASK_STATUSES) {
      expect(FINAL_STATUSES.some((final) => reach(status).has(final))).toBe(true);
      expect(reach(null).has(status)).toBe(true);
    }
  });
});
