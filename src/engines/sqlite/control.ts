// What an operator does: cancel, redrive, discard, purge, configure.
import { countRefusal } from '../../core/admission.ts';
import { MAX_QUEUES } from '../../core/id.ts';
import { effectiveSettings, patchOverrides, type SettingsPatch } from '../../core/settings.ts';
import { type Instant, isFinal } from '../../core/task.ts';
import type { Call, CancelResult, RedrivePick, RedriveResult } from '../../engine/messages.ts';
import type { ConfigureChange, ConfigureResult } from '../../engine/records.ts';
import { endCancelled } from './endings.ts';
import { enterWaiting, leave, leaveDlq, type Waiting } from './moves.ts';
import { tellQueue, tellStatus } from './outbox.ts';
import type { QueueState } from './queue-state.ts';
import type { Store } from './store.ts';
import type { TaskRow } from './task-row.ts';
import { taskById } from './tasks.ts';

export function cancel(store: Store, ids: readonly string[], { at }: Call): CancelResult[] {
  return ids.map((id) => {
    const task = taskById(store, id);
    if (task === null) return 'not_found';
    if (isFinal(task.status)) return 'finished';
    if (task.status === 'running') {
      task.cancelAsked = true;
      store.sql.askCancel.run(task.seq);
      return 'requested';
    }
    leave(store, task);
    endCancelled(store, task, 'requested', { at, workerId: null });
    return 'cancelled';
  });
}

export function redrive(store: Store, { ids }: RedrivePick, { at }: Call): RedriveResult[] {
  return ids.map((id) => {
    const task = taskById(store, id);
    if (!task?.inDlq) return { outcome: 'not_found' };
    const { queue, priority, bytes } = task;
    const ask = { delayed: false, priority, bytes };
    const refusal = countRefusal(queue.loadFor(task.tenant), queue.settings, ask);
    return refusal ?? newGeneration(store, task, at);
  });
}

function newGeneration(store: Store, task: TaskRow, at: Instant): RedriveResult {
  leave(store, task);
  const [ttlMs] = (store.sql.ttlBySeq.get(task.seq) ?? []) as (number | null)[];
  const generation = task.generation + 1;
  Object.assign(task, {
    status: 'queued',
    generation,
    deliveries: 0,
    givenBack: 0,
    losses: 0,
    availableAt: at,
    expiresAt: typeof ttlMs === 'number' ? at + ttlMs : null,
    finishedAt: null,
    deadReason: null,
    deadAt: null,
    inDlq: false,
    progress: null,
    unknownSince: null,
    cancelAsked: false,
    cancelReason: null,
  } satisfies Partial<TaskRow>);
  task.queue.counts.redriven += 1;
  enterWaiting(store, task as Waiting, 'tail');
  tellStatus(store, task, { at });
  return { outcome: 'redriven', generation };
}

export function discard(store: Store, ids: readonly string[], { at }: Call): ('discarded' | 'not_found')[] {
  return ids.map((id) => {
    const task = taskById(store, id);
    if (!task?.inDlq) return 'not_found';
    leaveDlq(store, task, at);
    return 'discarded';
  });
}

export function purge(store: Store, name: string, { at }: Call): { purged: number; epoch: number } {
  const queue = store.state.queues.get(name);
  if (queue === undefined) return { purged: 0, epoch: 0 };
  // Lines that this transaction has made must be in the table, or the sweep would not find their rows.
  store.state.flushLines(queue);
  store.sql.insertPurge.run(queue.number, queue.epoch, at);
  const purged = queue.purge(at);
  store.state.changed.add(queue);
  tellQueue(store, 'QUEUE_PURGED', name, { at, details: { purged, epoch: queue.epoch } });
  return { purged, epoch: queue.epoch };
}

export function configure(store: Store, change: ConfigureChange, { at }: Call): ConfigureResult {
  const { patch, ifVersion, pause } = change;
  const queue = store.state.queues.get(change.queue) ?? store.state.draft(change.queue);
  const asExpected = ifVersion === undefined || ifVersion === queue.settingsVersion;
  if (patch && !asExpected) return { outcome: 'changed', version: queue.settingsVersion };
  // To resume a queue that is not there makes none.
  if (patch || pause) {
    if (queue.number >= MAX_QUEUES) return { outcome: 'queue_limit' };
    store.state.keep(queue);
  }
  if (patch) applyPatch(store, queue, patch, at);
  if (pause) applyPause(store, queue, pause, at);
  else if (pause === null) resume(store, queue, at);
  return {
    outcome: 'configured',
    settings: queue.settings,
    overrides: queue.overrides,
    version: queue.settingsVersion,
    paused: queue.paused,
  };
}

type Pause = NonNullable<ConfigureChange['pause']>;

function applyPause(store: Store, queue: QueueState, { by, reason }: Pause, at: Instant): void {
  if (queue.paused !== null) return;
  queue.paused = { since: at, by, reason };
  tellQueue(store, 'QUEUE_PAUSED', queue.name, { at, details: { by, reason } });
}

function applyPatch(store: Store, queue: QueueState, patch: SettingsPatch, at: Instant): void {
  queue.overrides = patchOverrides(queue.overrides, patch);
  queue.settings = effectiveSettings(store.config.defaults, queue.overrides);
  queue.settingsVersion += 1;
  queue.lines.order.unblockAll();
  store.woken.add(queue.name);
  tellQueue(store, 'SETTINGS_CHANGED', queue.name, { at, details: { version: queue.settingsVersion } });
}

function resume(store: Store, queue: QueueState, at: Instant): void {
  if (queue.paused === null) return;
  queue.paused = null;
  store.state.changed.add(queue);
  store.woken.add(queue.name);
  tellQueue(store, 'QUEUE_RESUMED', queue.name, { at, details: {} });
}
