// The passes that keep a store in order: promote what is due, reap lost leases, expire what is too late, prune what is old.
import { decide } from '../core/lifecycle.ts';
import type { Instant } from '../core/task.ts';
import type { Call, Settlement } from '../engine/messages.ts';
import { SYSTEM } from '../engine/principal.ts';
import type { WorkSource } from '../engine/slices.ts';
import { LEASES_MAX } from '../engine/wrap-checks.ts';
import type { BrokerEnv } from './env.ts';
import { PassLoop } from './pass-loop.ts';
import type { Uploads } from './uploads.ts';

/** The longest sleep of a pass, ms. Promotion also wakes for what this server submits itself. */
const PROMOTE_IDLE_MS = 1_000;
const EXPIRE_IDLE_MS = 1_000;
const PRUNE_IDLE_MS = 5_000;
/** Long enough for the reaper to decide and settle; if it dies meanwhile, the task waits so long. */
const REAPER_LEASE_MS = 10_000;
const REAPER_ID = 'reaper';
const CALIBRATE_MS = 60_000;
/** Orphaned files are left by crashes only, and are an hour old when they count as such. */
const SWEEP_MS = 3_600_000;

export interface MaintenanceParts {
  readonly settle: WorkSource['settle'];
  readonly uploads: Uploads | null;
}

export class Maintenance {
  readonly #env: BrokerEnv;
  readonly #parts: MaintenanceParts;
  readonly #promote: PassLoop;
  readonly #loops: readonly PassLoop[];

  constructor(env: BrokerEnv, parts: MaintenanceParts) {
    this.#env = env;
    this.#parts = parts;
    const batch = env.limits.maintenanceBatch;
    const bounded = (name: 'promote' | 'expire', idleMs: number) =>
      new PassLoop(env, {
        name,
        idleMs,
        run: async () => {
          const { done, nextAt } = await env.engine[name](batch, this.#call());
          return { more: done >= batch, nextAt };
        },
      });
    this.#promote = bounded('promote', PROMOTE_IDLE_MS);
    this.#loops = [
      this.#promote,
      bounded('expire', EXPIRE_IDLE_MS),
      new PassLoop(env, { name: 'reap', idleMs: env.limits.reapIntervalMs, run: () => this.#reap() }),
      new PassLoop(env, { name: 'prune', idleMs: PRUNE_IDLE_MS, run: () => this.#prune() }),
      new PassLoop(env, { name: 'calibrate', idleMs: CALIBRATE_MS, run: () => this.#calibrate() }),
      new PassLoop(env, { name: 'sweep', idleMs: SWEEP_MS, run: () => this.#sweep() }),
    ];
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** A task comes due then: promote it in time. */
  due(at: Instant): void {
    this.#promote.due(at);
  }

  async #reap() {
    const { engine, clock, limits, random } = this.#env;
    const want = {
      reaperId: REAPER_ID,
      max: Math.min(LEASES_MAX, limits.maintenanceBatch),
      leaseMs: REAPER_LEASE_MS,
      nonce: this.#nonce(),
    };
    const { leases, nextAt } = await engine.reap(want, this.#call());
    const at = clock.now();
    const settlements = leases.map(({ task, token, policy, lostBy, startedAt }): Settlement => {
      const settled = decide({ task, policy, at, random: random() }, { kind: 'lease_lost' });
      return { id: task.id, token, workerId: lostBy, startedAt, settled };
    });
    await this.#parts.settle(settlements, { at, principal: SYSTEM });
    return { more: leases.length >= want.max, nextAt };
  }

  async #prune() {
    const { engine, limits } = this.#env;
    const { done, nextAt, files = [] } = await engine.prune(limits.maintenanceBatch, this.#call());
    for (const path of files) await this.#parts.uploads?.remove(path);
    return { more: done >= limits.maintenanceBatch, nextAt };
  }

  async #calibrate() {
    await this.#env.clock.calibrate();
    return { more: false, nextAt: null };
  }

  async #sweep() {
    await this.#parts.uploads?.sweep();
    return { more: false, nextAt: null };
  }

  #nonce(): string {
    const bytes = new Uint8Array(12);
    this.#env.randomBytes(bytes);
    return Buffer.from(bytes).toString('base64url');
  }

  #call(): Call {
    return { at: this.#env.clock.now(), principal: SYSTEM };
  }
}
