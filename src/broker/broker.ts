// What a server does with an engine: takes submissions in, counts what completes, keeps the store in order.
import type { Call, Settlement } from '../engine/messages.ts';
import type { WorkSource } from '../engine/slices.ts';
import type { BrokerEnv } from './env.ts';
import { Gauges } from './gauges.ts';
import { Maintenance } from './maintenance.ts';
import { Refusals } from './problems.ts';
import type { SubmitAsk, SubmitReply } from './replies.ts';
import { SubmitPipeline } from './submit.ts';
import { Uploads } from './uploads.ts';

export class Broker {
  readonly gauges: Gauges;
  readonly refusals: Refusals;
  /** null: no files folder is configured. */
  readonly uploads: Uploads | null;
  /** The engine as workers see it: what they settle is counted here. */
  readonly workSource: WorkSource;
  readonly #pipeline: SubmitPipeline;
  readonly #maintenance: Maintenance;

  constructor(env: BrokerEnv) {
    this.gauges = new Gauges(env);
    this.refusals = new Refusals(this.gauges, env.limits);
    this.uploads = env.files === null ? null : new Uploads(env.files, env);
    this.workSource = this.#counted(env.engine);
    this.#maintenance = new Maintenance(env, { settle: this.workSource.settle, uploads: this.uploads });
    this.#pipeline = new SubmitPipeline(env, {
      gauges: this.gauges,
      refusals: this.refusals,
      onScheduled: (dueAt) => this.#maintenance.due(dueAt),
    });
  }

  async start(): Promise<void> {
    await this.uploads?.open();
    this.#maintenance.start();
  }

  /** Ends maintenance; the engine stays open, so that what is in flight can still be settled. */
  async stop(): Promise<void> {
    await this.#maintenance.stop();
  }

  /** `raw` is the parsed JSON body. Refusals are data; a store that does not answer throws its EngineError. */
  submit(raw: unknown, ask: SubmitAsk): Promise<SubmitReply> {
    return this.#pipeline.submit(raw, ask);
  }

  /** What can be told before a file's body is read; null: go on. */
  precheck(raw: unknown, ask: SubmitAsk): Promise<SubmitReply | null> {
    return this.#pipeline.precheck(raw, ask);
  }

  /** The last submission met a store that took nothing, and not long ago. */
  get storeFailing(): boolean {
    return this.#pipeline.storeFailing;
  }

  /** An id (without home) for a task whose file is received first. */
  newTaskId(): string {
    return this.#pipeline.newId();
  }

  #counted(engine: BrokerEnv['engine']): WorkSource {
    const settle = async (batch: readonly Settlement[], call: Call) => {
      const results = await engine.settle(batch, call);
      this.gauges.settled(batch, results);
      for (const { settled } of batch) {
        const { decision } = settled;
        if (decision.to === 'retrying' || decision.to === 'scheduled')
          this.#maintenance.due(decision.availableAt);
      }
      return results;
    };
    return {
      name: engine.name,
      reserve: (want, call) => engine.reserve(want, call),
      extend: (batch, call) => engine.extend(batch, call),
      settle,
      watch: (queues, wake) => engine.watch(queues, wake),
      workers: { beat: (beat, call) => engine.workers.beat(beat, call) },
    };
  }
}
