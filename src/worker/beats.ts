// Tells the store now and then that this worker lives, and at once when its status changes.
import type { Call } from '../engine/messages.ts';
import type { WorkerBeat } from '../engine/records.ts';
import type { WorkSource } from '../engine/slices.ts';
import type { Cancel, WorkerEnv } from './env.ts';

export interface BeatsAbout {
  readonly source: Pick<WorkSource, 'workers'>;
  readonly env: WorkerEnv;
  readonly everyMs: number;
  readonly call: () => Call;
  readonly beat: () => WorkerBeat;
}

export class Beats {
  readonly #about: BeatsAbout;
  #cancel: Cancel | null = null;
  #failing = false;
  /** One after the other, so that the store's last word is ours. */
  #line: Promise<void> = Promise.resolve();

  constructor(about: BeatsAbout) {
    this.#about = about;
  }

  /** Beats now, and from now on every `everyMs`. */
  now(): Promise<void> {
    this.#cancel?.();
    const beat = this.#about.beat();
    if (beat.status !== 'stopped') {
      this.#cancel = this.#about.env.timers.after(this.#about.everyMs, () => void this.now());
    }
    this.#line = this.#line.then(() => this.#send(beat));
    return this.#line;
  }

  /** A beat that fails is not repeated: the next one says more. */
  async #send(beat: WorkerBeat): Promise<void> {
    try {
      await this.#about.source.workers.beat(beat, this.#about.call());
      this.#failing = false;
    } catch (thrown) {
      if (!this.#failing) {
        this.#about.env.log('warn', 'the store did not take a beat', {
          error: thrown instanceof Error ? thrown.message : String(thrown),
        });
      }
      this.#failing = true;
    }
  }
}
