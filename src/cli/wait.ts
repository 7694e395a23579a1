// Follows one task until its final status.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { segment } from './context.ts';
import { isFinalView, type TaskView } from './wire.ts';

const FIRST_MS = 20;
const MAX_MS = 500;

/** Asks with growing pauses; `onLook` sees every answer. Ends only with the task, an error or the signal. */
export async function waitForFinal(
  api: Api,
  id: string,
  onLook: (task: TaskView) => void = () => undefined,
  signal?: AbortSignal,
): Promise<TaskView> {
  for (let pause = FIRST_MS; ; pause = Math.min(MAX_MS, pause * 1.5)) {
    const { body } = await api.get<TaskView>(`/tasks/${segment(id)}`);
    onLook(body);
    if (isFinalView(body)) return body;
    await sleep(pause, undefined, signal === undefined ? {} : { signal });
  }
}
