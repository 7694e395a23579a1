// Whether the demo adds up: its own receipts against the totals that the server answers. Pure, so that a planted
// miscount can be tried on it.
import type { SystemView, Totals } from '../wire.ts';
import type { Ledger } from './ledger.ts';

export interface SumLine {
  readonly text: string;
  readonly holds: boolean;
}

const FINALS = ['succeeded', 'failed', 'dead_lettered', 'cancelled', 'expired'] as const;

/** Every sum that must hold when all is done; `system` is the answer of `GET /queue`. */
export function sumLines(ledger: Ledger, system: SystemView): SumLine[] {
  const queues = new Set([...ledger.receipts.map((r) => r.queue), ...system.queues.map((q) => q.queue)]);
  const depths = system.queues.reduce((sum, view) => sum + view.depth, 0);
  return [
    equal('submissions sent = accepted + refused', ledger.sent, [
      ['accepted', ledger.receipts.length],
      ['refused', ledger.refusals.length],
    ]),
    equal('every refusal told when to come back', ledger.refusals.length, [
      ['told', ledger.refusals.filter(({ retryAfterS }) => (retryAfterS ?? 0) >= 1).length],
    ]),
    equal('pending over all queues = sum of their depths', system.pending, [['depths', depths]]),
    ...[...queues].flatMap((queue) => queueLines(queue, ledger, system)),
  ];
}

function queueLines(queue: string, ledger: Ledger, system: SystemView): SumLine[] {
  const view = system.queues.find((one) => one.queue === queue);
  if (view === undefined) return [{ text: `${queue}: the server does not know this queue`, holds: false }];
  const { totals } = view;
  const accepted = ledger.receipts.filter((receipt) => receipt.queue === queue).length;
  const redrives = ledger.redrives.filter((receipt) => receipt.queue === queue).length;
  const left = view.queued + view.running + view.scheduled + view.retrying;
  return [
    equal(`${queue}: accepted, by receipt and by the server`, accepted, [['server', totals.accepted]]),
    equal(`${queue}: redriven, by receipt and by the server`, redrives, [['server', totals.redriven]]),
    equal(`${queue}: accepted = the final statuses of its tasks`, accepted, finalCounts(queue, ledger)),
    equal(`${queue}: accepted + redriven = finals + what is left`, totals.accepted + totals.redriven, [
      ...FINALS.map((status) => [status, totals[status]] as const),
      ['left', left],
    ]),
    equal(`${queue}: nothing is left waiting or running`, left, []),
    ...FINALS.map((status) =>
      equal(`${queue}: ${status}, by the server and by receipt`, totals[status] - takenBack(status, totals), [
        ['receipts', ledger.countOf(queue, status)],
      ]),
    ),
    equal(`${queue}: dead letters there now`, view.dead_lettered, [
      ['receipts', ledger.countOf(queue, 'dead_lettered')],
    ]),
  ];
}

/** A redrive takes a task out of the dead letters again; the total goes on counting that it was there. */
function takenBack(status: (typeof FINALS)[number], totals: Totals): number {
  return status === 'dead_lettered' ? totals.redriven : 0;
}

function finalCounts(queue: string, ledger: Ledger): (readonly [string, number])[] {
  return FINALS.map((status) => [status, ledger.countOf(queue, status)] as const);
}

function equal(what: string, left: number, parts: readonly (readonly [string, number])[]): SumLine {
  const sum = parts.reduce((total, [, count]) => total + count, 0);
  const shown = parts.filter(([, count]) => count !== 0).map(([name, count]) => `${count} ${name}`);
  return {
    text: `${what}: ${left} = ${shown.length === 0 ? '0' : shown.join(' + ')}`,
    holds: left === sum && [left, ...parts.map(([, count]) => count)].every(Number.isSafeInteger),
  };
}
