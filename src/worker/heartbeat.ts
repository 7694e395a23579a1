// Keeps leases alive and ends attempts that take too long, with one timer for all of them: it stands at the earliest
// moment that anything in hand asked for, and a sweep over what is held (bounded by the slots) does the rest.
import type { Call, Extend, ExtendResult } from '../engine/messages.ts';
import type { WorkSource } from '../engine/slices.ts';
import type { Cancel, WorkerEnv } from './env.ts';
import type { Run } from './run.ts';
import type { Runner } from './runner.ts';

const BATCH_MAX = 100;
/** A sweep takes along what would be due within this share of a beat, so that renewals fall into step. */
const AHEAD = 1 / 4;
/** After a failed call, how long until the next try, as a share of the lease. */
const RETRY_SHARE = 1 / 10;

export interface HeartbeatAbout {
  readonly source: Pick<WorkSource, 'extend'>;
  readonly env: WorkerEnv;
  readonly call: () => Call;
  readonly onLost: (run: Run) => void;
}

export class Heartbeat {
  readonly #about: HeartbeatAbout;
  readonly #runner: Runner;
  #nextAt = Number.POSITIVE_INFINITY;
  #cancel: Cancel | null = null;
  #stopped = false;
  #failing = false;

  constructor(about: HeartbeatAbout, runner: Runner) {
    this.#about = about;
    this.#runner = runner;
  }

  /** Makes sure that a sweep happens at this monotonic time or before. */
  due(at: number): void {
    if (at >= this.#nextAt || this.#stopped) return;
    this.#nextAt = at;
    this.#cancel?.();
    this.#cancel = this.#about.env.timers.after(at - this.#about.env.elapsed(), () => this.#sweep());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #sweep(): void {
    const now = this.#about.env.elapsed();
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#cancel = null;
    const renew: Run[] = [];
    for (const run of [...this.#runner.held]) {
      if (run.state === 'running' && run.deadlineAt <= now) this.#runner.timeOut(run);
      if (!run.renewing && run.renewAt <= now + run.beatMs * AHEAD) renew.push(run);
    }
    for (let i = 0; i < renew.length; i += BATCH_MAX) void this.#extend(renew.slice(i, i + BATCH_MAX));
    let next = Number.POSITIVE_INFINITY;
    for (const run of this.#runner.held) {
      if (run.state === 'running') next = Math.min(next, run.deadlineAt);
      if (!run.renewing) next = Math.min(next, run.renewAt);
    }
    if (next < Number.POSITIVE_INFINITY) this.due(next);
  }

  async #extend(runs: readonly Run[]): Promise<void> {
    const { source, env, call } = this.#about;
    const batch: Extend[] = runs.map((run) => {
      run.renewing = true;
      const { progress } = run;
      run.progress = null;
      const base = { id: run.lease.task.id, token: run.lease.token, leaseMs: run.leaseMs };
      return progress === null ? base : { ...base, progress };
    });
    let results: readonly ExtendResult[] | null = null;
    try {
      results = await source.extend(batch, call());
      this.#failing = false;
    } catch (thrown) {
      if (!this.#failing) {
        env.log('warn', 'extending leases failed; trying again', {
          error: thrown instanceof Error ? thrown.message : String(thrown),
        });
      }
      this.#failing = true;
    }
    const now = env.elapsed();
    for (const [i, run] of runs.entries()) {
      run.renewing = false;
      if (results === null) {
        run.progress ??= batch[i]?.progress ?? null;
        this.#again(run, now + run.leaseMs * RETRY_SHARE);
      } else this.#answered(run, results[i] ?? 'lease_lost', now);
    }
  }

  #answered(run: Run, result: ExtendResult, now: number): void {
    // Its settlement is on the way: that answer counts, not this one.
    if (run.state === 'settling' || run.state === 'closed') {
      if (result !== 'lease_lost') this.#again(run, now + run.beatMs);
      return;
    }
    if (result === 'lease_lost') this.#about.onLost(run);
    else this.#again(run, now + run.beatMs);
    if (result === 'cancel_requested') this.#runner.cancel(run);
  }

  #again(run: Run, at: number): void {
    run.renewAt = at;
    if (run.state !== 'closed') this.due(at);
  }
}
