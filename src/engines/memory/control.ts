// What an operator does: cancel, redrive, discard, purge, configure.

import { MAX_QUEUES } from '../../core/id.ts';
import { effectiveSettings, patchOverrides } from '../../core/settings.ts';
import { isFinal } from '../../core/task.ts';
import type { Call, CancelResult, RedrivePick, RedriveResult } from '../../engine/messages.ts';
import type { ConfigureChange, ConfigureResult } from '../../engine/records.ts';
import { tellQueue, tellStatus } from './events.ts';
import { finish, leaveDlq, move } from './moves.ts';
import { draftQueue, type QueueState, type State } from './state.ts';
import { refusalOf } from './submit.ts';

export function cancel(state: State, ids: readonly string[], { at }: Call): CancelResult[] {
  return ids.map((id) => {
    const entry = state.tasks.get(id);
    if (entry === undefined) return 'not_found';
    const { task } = entry;
    if (isFinal(task.status)) return 'finished';
    if (task.status === 'running') {
      entry.task = { ...task, cancelRequested: true };
      return 'requested';
    }
    const cancelled = { ...task, status: 'cancelled', cancelReason: 'requested', finishedAt: at } as const;
    finish(state, entry, { task: { ...cancelled, unknownSince: null }, at, workerId: null });
    return 'cancelled';
  });
}

export function redrive(state: State, { ids }: RedrivePick, call: Call): RedriveResult[] {
  return ids.map((id) => redriveOne(state, id, call));
}

function redriveOne(state: State, id: string, { at }: Call): RedriveResult {
  const entry = state.tasks.get(id);
  if (!entry?.task.inDlq) return { outcome: 'not_found' };
  const { task, queue } = entry;
  const refusal = refusalOf(queue, task.tenant, {
    delayed: false,
    priority: task.priority,
    bytes: task.bytes,
  });
  if (refusal) return refusal;
  queue.totals.redriven += 1;
  move(state, entry, {
    ...task,
    status: 'queued',
    generation: task.generation + 1,
    attempt: 0,
    deliveries: 0,
    leaseLosses: 0,
    availableAt: at,
    expiresAt: task.ttlMs === null ? null : at + task.ttlMs,
    finishedAt: null,
    deadLetter: null,
    inDlq: false,
    progress: null,
    unknownSince: null,
    cancelRequested: false,
    cancelReason: null,
  });
  tellStatus(state, entry.task, at);
  return { outcome: 'redriven', generation: entry.task.generation };
}

export function discard(state: State, ids: readonly string[], { at }: Call): ('discarded' | 'not_found')[] {
  return ids.map((id) => {
    const entry = state.tasks.get(id);
    if (!entry?.task.inDlq) return 'not_found';
    leaveDlq(state, entry, at);
    return 'discarded';
  });
}

/** Walks the queue: as the model of the engines that purge by epoch alone, this one takes the plain way. */
export function purge(state: State, name: string, { at }: Call): { purged: number; epoch: number } {
  const queue = state.queues.get(name);
  if (queue === undefined) return { purged: 0, epoch: 0 };
  queue.epoch += 1;
  let purged = 0;
  for (const entry of state.tasks.values()) {
    const { task } = entry;
    if (entry.queue !== queue || isFinal(task.status) || task.status === 'running') continue;
    const cancelled = { ...task, status: 'cancelled', cancelReason: 'purged', finishedAt: at } as const;
    move(state, entry, { ...cancelled, unknownSince: null });
    purged += 1;
  }
  queue.lines.order.clear();
  tellQueue(state, 'QUEUE_PURGED', name, { at, details: { purged, epoch: queue.epoch } });
  return { purged, epoch: queue.epoch };
}

export function configure(state: State, change: ConfigureChange, { at }: Call): ConfigureResult {
  const queue = state.queues.get(change.queue) ?? draftQueue(state, change.queue);
  const { patch, ifVersion, pause } = change;
  if (patch && ifVersion !== undefined && ifVersion !== queue.settingsVersion) {
    return { outcome: 'changed', version: queue.settingsVersion };
  }
  if (patch || pause) {
    if (queue.number >= MAX_QUEUES) return { outcome: 'queue_limit' };
    state.queues.set(queue.name, queue);
  }
  if (patch) applyPatch(state, queue, patch, at);
  if (pause !== undefined) applyPause(state, queue, pause, at);
  const { settings, overrides, settingsVersion: version, paused } = queue;
  return { outcome: 'configured', settings, overrides, version, paused };
}

function applyPatch(
  state: State,
  queue: QueueState,
  patch: NonNullable<ConfigureChange['patch']>,
  at: number,
): void {
  queue.overrides = patchOverrides(queue.overrides, patch);
  queue.settings = effectiveSettings(state.defaults, queue.overrides);
  queue.settingsVersion += 1;
  queue.lines.order.unblockAll();
  state.woken.add(queue.name);
  const details = { version: queue.settingsVersion };
  tellQueue(state, 'SETTINGS_CHANGED', queue.name, { at, details });
}

function applyPause(
  state: State,
  queue: QueueState,
  pause: NonNullable<ConfigureChange['pause']> | null,
  at: number,
): void {
  if (pause === null && queue.paused !== null) {
    queue.paused = null;
    state.woken.add(queue.name);
    tellQueue(state, 'QUEUE_RESUMED', queue.name, { at, details: {} });
  } else if (pause !== null && queue.paused === null) {
    queue.paused = { since: at, by: pause.by, reason: pause.reason };
    tellQueue(state, 'QUEUE_PAUSED', queue.name, { at, details: { by: pause.by, reason: pause.reason } });
  }
}
