// The summary, told from what was measured and from the receipts. Nothing is claimed that was not looked at.
import type { DemoCsv } from '../demo-csv.ts';
import type { SystemView } from '../wire.ts';
import type { BurstStory } from './burst.ts';
import type { ImportsStory } from './imports.ts';
import type { Ledger } from './ledger.ts';
import type { OddsStory } from './odds.ts';
import type { SumLine } from './sums.ts';

export interface Stories {
  readonly csv: DemoCsv;
  readonly imports: ImportsStory;
  readonly burst: BurstStory;
  readonly odds: OddsStory;
}

const MIB = 2 ** 20;

export function storyLines({ csv, imports, burst, odds }: Stories): string[] {
  const { files, rows, seconds, startOrder, tenantsAtTop, exact } = imports;
  const size = `${csv.rows.toLocaleString('en')} rows, ${(csv.bytes / MIB).toFixed(1)} MiB`;
  const { delayed, flaky, late, hopeless } = odds;
  return [
    `${files} files (${size} each) came in while their queue was paused. Resumed, it read`,
    `  ${rows.toLocaleString('en')} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds).toLocaleString('en')} a second;` +
      ` ${exact ? 'every import came to the rows and the sum that the file was made with' : 'BUT SOME CAME TO OTHER SUMS'}.`,
    `  They started by priority: ${startOrder.join(' ')}; the 9s by tenant: ${tenantsAtTop.join(' ')}.`,
    `${burst.before} small tasks went through a queue that holds ${burst.limit}. Then ${burst.callers} callers came at once: ${burst.atOnce} got in,`,
    `  the others heard 429 QUEUE_FULL, ${burst.refusals} times, with Retry-After ${toldText(burst)}. They obeyed; after at most ${burst.triesMax} tries each, ` +
      `all were in (${burst.seconds.toFixed(1)} s).`,
    `A delayed task asked for ${delayed.askedMs / 1000} s and started ${delayed.lateMs} ms after it was due.`,
    `A flaky one succeeded at attempt ${flaky.attempts}, after "${flaky.lastError}".`,
    `One waited past its time to live and became a dead letter (${late.reason}); redriven, it ${ended(late.endedAfterRedrive)}.`,
    `One always fails: a dead letter (${hopeless.reason}); redriven, it died again in generation ${hopeless.generations} and stays for you to see.`,
  ];
}

/** What the story says besides sums, each looked at. */
export function claims({ imports, burst, odds }: Stories): SumLine[] {
  const { startOrder } = imports;
  return [
    { text: 'every import came to the rows and the sum of its file', holds: imports.exact },
    {
      text: 'imports started by priority',
      holds: startOrder.every((p, i) => i === 0 || p <= (startOrder[i - 1] ?? 9)),
    },
    { text: 'the burst was over the limit', holds: burst.refusals > 0 && burst.atOnce < burst.callers },
    { text: 'the delayed task did not start early', holds: odds.delayed.lateMs >= 0 },
    { text: 'the flaky task took three attempts', holds: odds.flaky.attempts === 3 },
    {
      text: 'the late task expired, and its redrive succeeded',
      holds: odds.late.reason === 'expired' && odds.late.endedAfterRedrive === 'succeeded',
    },
    { text: 'the hopeless task died in two generations', holds: odds.hopeless.generations === 2 },
  ];
}

/** One line per queue and the sentence that they add up to. */
export function bookLines(ledger: Ledger, system: SystemView): string[] {
  const header = ['queue', 'accepted', 'succeeded', 'dead-lettered', 'redriven', 'refused'];
  const rows = system.queues.map(({ queue, totals, dead_lettered }) => [
    queue,
    String(totals.accepted),
    String(totals.succeeded),
    String(dead_lettered),
    String(totals.redriven),
    String(ledger.refusals.filter((note) => note.queue === queue).length),
  ]);
  const widths = header.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')}`;
  const sum = (pick: (queue: SystemView['queues'][number]) => number) =>
    system.queues.reduce((total, queue) => total + pick(queue), 0);
  return [
    line(header),
    ...rows.map(line),
    `${ledger.sent} sent = ${ledger.receipts.length} accepted + ${ledger.refusals.length} refused; ` +
      `${sum((queue) => queue.totals.accepted)} accepted = ${sum((queue) => queue.totals.succeeded)} succeeded + ` +
      `${sum((queue) => queue.dead_lettered)} dead-lettered`,
  ];
}

export function verdictLine(lines: readonly SumLine[]): string {
  const broken = lines.filter((line) => !line.holds);
  return broken.length === 0
    ? `It adds up: ${lines.length} sums and claims, receipts against the server's totals, hold.`
    : `It does NOT add up: ${broken.length} of ${lines.length} are broken.`;
}

function toldText({ told }: BurstStory): string {
  if (told === null) return 'never needed';
  return told.min === told.max ? `${told.min} s` : `${told.min} to ${told.max} s`;
}

function ended(status: string): string {
  return status === 'succeeded' ? 'succeeded' : `ended ${status}`;
}
