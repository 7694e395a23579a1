// How the worker's process feels: the share of one core it uses, and how late its event loop runs.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { WorkerBeat } from '../engine/records.ts';

export type Vitals = Pick<WorkerBeat, 'cpu' | 'loopDelayMs'>;

const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
const RESOLUTION_MS = 20;

/** Each call measures since the one before. */
export function processVitals(): { read(): Vitals; stop(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let usage = process.cpuUsage();
  let since = performance.now();
  return {
    read() {
      const spent = process.cpuUsage(usage);
      const now = performance.now();
      const cpu = (spent.user + spent.system) / US_PER_MS / Math.max(1, now - since);
      usage = process.cpuUsage();
      since = now;
      const late = delay.mean / NS_PER_MS - RESOLUTION_MS;
      delay.reset();
      return { cpu: round(cpu), loopDelayMs: Number.isFinite(late) ? round(Math.max(0, late)) : null };
    },
    stop() {
      delay.disable();
    },
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
