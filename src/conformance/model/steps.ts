// A random history as data: what to do, in numbers that mean something in any state, so that steps can be left out
// and a history stays a history. `task: 3` is the fourth newest task known by then, `lease: 0` the newest lease.
import type { QueueSettings } from '../../core/settings.ts';
import type { TaskStatus } from '../../core/task.ts';
import type { Random } from './random.ts';

export interface SubmitItem {
  readonly queue: string;
  readonly priority: number;
  readonly tenant: string;
  readonly size: number;
  readonly key: string | null;
  readonly print: number;
  readonly ttlMs: number | null;
  readonly delayMs: number | null;
  readonly maxAttempts: number;
  readonly keyHeldMs: number;
}

const WAYS = [
  'succeed',
  'fail',
  'fail soon',
  'fail for good',
  'defer',
  'release',
  'unknown_type',
  'expired',
  'lease_lost',
] as const;
export type Way = (typeof WAYS)[number];

interface LeaseItem {
  readonly lease: number;
  /** Under a token that was never given. */
  readonly forged: boolean;
}

/** What happens after `after` milliseconds. */
export type Step = { readonly after: number } & (
  | { readonly do: 'submit'; readonly items: readonly SubmitItem[] }
  | { readonly do: 'replay'; readonly queue: string; readonly key: string; readonly print: number }
  | {
      readonly do: 'reserve';
      readonly queues: readonly { readonly name: string; readonly weight: number }[];
      readonly max: number;
      readonly leaseMs: number | null;
      /** Repeats that request (0 is the newest) instead of making one. */
      readonly repeat: number | null;
    }
  | { readonly do: 'extend'; readonly items: readonly (LeaseItem & { percent: number | null })[] }
  | { readonly do: 'settle'; readonly items: readonly (LeaseItem & { way: Way })[] }
  | { readonly do: 'promote' | 'expire' | 'prune'; readonly limit: number }
  | { readonly do: 'reap'; readonly max: number; readonly settle: boolean }
  | { readonly do: 'cancel' | 'redrive' | 'discard'; readonly tasks: readonly number[] }
  | { readonly do: 'purge' | 'pause' | 'resume'; readonly queue: string }
  | { readonly do: 'configure'; readonly queue: string; readonly patch: Partial<QueueSettings> }
  | {
      readonly do: 'list';
      readonly status: TaskStatus | null;
      readonly queue: string;
      readonly limit: number;
    }
  | { readonly do: 'list dead'; readonly queue: string | null; readonly limit: number }
  | { readonly do: 'restart' }
);

export interface History {
  readonly settings: Partial<QueueSettings>;
  readonly steps: readonly Step[];
}

export const QUEUES = ['a', 'b', '{c}'] as const;
const TENANTS = ['', 'x', 'y'] as const;
const STATUSES = [
  'scheduled',
  'queued',
  'running',
  'retrying',
  'succeeded',
  'dead_lettered',
  'cancelled',
] as const;
/** Small on purpose: in a short history every bound must be reachable. */
const PATCHES: readonly Partial<QueueSettings>[] = [
  { maxDepth: 2 },
  { maxDepth: 5 },
  { maxScheduled: 1 },
  { maxBytes: 60 },
  { tenantMaxDepth: 2 },
  { reservedShare: { minPriority: 5, share: 0.5 }, maxDepth: 4 },
  { maxRunning: 1 },
  { maxRunning: 3 },
  { tenantMaxRunning: 1 },
  { rate: { limit: 2, perMs: 100, burst: 2 } },
  { priorityAgingMs: 0 },
  { priorityAgingMs: 20 },
  { tenantWeights: { x: 2, y: 5 } },
  { deadLetter: false },
  { deadLetterOnExpiry: false },
  { dlqMax: 1 },
  { dlqMax: 0 },
  { dlqRetentionS: 1 },
  { taskRetentionS: 1 },
  { resultRetentionS: 1 },
  { maxLeaseLosses: 1 },
  { unknownTypeMaxMs: 0 },
  { leaseMs: 30 },
];

/** @param canRestart the engine's store outlives its engine */
export function randomHistory(r: Random, canRestart: boolean): History {
  const settings = Object.assign({}, ...r.list(0, 5, () => r.pick(PATCHES))) as Partial<QueueSettings>;
  return { settings, steps: r.list(5, 40, () => randomStep(r, canRestart)) };
}

/** Work that moves most often, what ends a history seldom; each name as often as its weight. */
const WEIGHTS: readonly (readonly [Step['do'], number])[] = [
  ['submit', 9],
  ['reserve', 9],
  ['settle', 8],
  ['extend', 2],
  ['promote', 3],
  ['expire', 2],
  ['prune', 2],
  ['reap', 3],
  ['cancel', 3],
  ['redrive', 3],
  ['discard', 1],
  ['purge', 1],
  ['pause', 1],
  ['resume', 3],
  ['configure', 2],
  ['replay', 1],
  ['list', 1],
  ['list dead', 2],
];
const NAMES = WEIGHTS.flatMap(([name, weight]) => Array.from({ length: weight }, () => name));

function randomStep(r: Random, canRestart: boolean): Step {
  const after = r.pick([0, 0, 0, 1, 10, 50, 200, 1_000, 5_000]);
  if (canRestart && r.chance(0.06)) return { after, do: 'restart' };
  return { after, ...randomDeed(r, r.pick(NAMES)) } as Step;
}

function randomDeed(r: Random, name: Step['do']): object {
  const queue = r.pick(QUEUES);
  switch (name) {
    case 'submit':
      return { do: name, items: r.list(1, 4, () => randomItem(r)) };
    case 'replay':
      return { do: name, queue, key: r.pick(['k1', 'k2']), print: r.int(2) };
    case 'reserve':
      return {
        do: name,
        queues: randomQueues(r),
        max: 1 + r.int(4),
        leaseMs: r.pick([null, 20, 200]),
        repeat: r.chance(0.25) ? r.int(2) : null,
      };
    case 'extend':
      return {
        do: name,
        items: r.list(1, 2, () => ({ ...randomLease(r), percent: r.pick([null, 0, 12.5]) })),
      };
    case 'settle':
      return {
        do: name,
        items: r.list(1, 3, () => ({ ...randomLease(r), way: r.chance(0.25) ? 'succeed' : r.pick(WAYS) })),
      };
    case 'promote':
    case 'expire':
    case 'prune':
      return { do: name, limit: r.pick([1, 2, 100]) };
    case 'reap':
      return { do: name, max: r.pick([1, 100]), settle: r.chance(0.7) };
    case 'cancel':
    case 'redrive':
    case 'discard':
      return { do: name, tasks: r.list(1, 3, () => r.int(8)) };
    case 'configure':
      return { do: name, queue, patch: r.pick(PATCHES) };
    case 'list':
      return { do: name, status: r.pick([null, ...STATUSES]), queue, limit: r.pick([1, 3, 100]) };
    case 'list dead':
      return { do: name, queue: r.pick([null, queue]), limit: r.pick([1, 3, 100]) };
    default:
      return { do: name, queue };
  }
}

function randomItem(r: Random): SubmitItem {
  return {
    queue: r.pick(QUEUES),
    priority: r.pick([0, 5, 5, 9]),
    tenant: r.pick(TENANTS),
    size: r.int(20),
    key: r.chance(0.25) ? r.pick(['k1', 'k2']) : null,
    print: r.int(2),
    ttlMs: r.chance(0.3) ? r.pick([10, 100, 2_000]) : null,
    delayMs: r.chance(0.3) ? r.pick([0, 10, 100]) : null,
    maxAttempts: 1 + r.int(3),
    keyHeldMs: r.pick([500, 20_000]),
  };
}

function randomLease(r: Random): LeaseItem {
  return { lease: r.int(6), forged: r.chance(0.05) };
}

function randomQueues(r: Random) {
  const from = r.int(QUEUES.length);
  const count = 1 + r.int(QUEUES.length);
  return Array.from({ length: count }, (_, i) => ({
    name: QUEUES[(from + i) % QUEUES.length] ?? 'a',
    weight: 1 + r.int(3),
  }));
}
