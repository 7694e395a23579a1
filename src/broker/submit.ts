// The way in: validate, give id and fingerprint, batch, submit, and put refusals into words.
// The order of checks is the contract's: body, sizes, replay, system bound, then the store's own atomic step.

import { countRefusal } from '../core/admission.ts';
import { type Problem, problem } from '../core/codes.ts';
import { fingerprint } from '../core/fingerprint.ts';
import { idMaker } from '../core/id.ts';
import { parseTask, type TaskInput } from '../core/task-input.ts';
import type { Call, NewTask, SubmitResult } from '../engine/messages.ts';
import { Batcher } from './batcher.ts';
import type { BrokerEnv } from './env.ts';
import type { Gauges } from './gauges.ts';
import type { Refusals } from './problems.ts';
import type { SubmitAsk, SubmitReply } from './replies.ts';
import { StoreHealth } from './store-health.ts';

const BATCH_MAX = 1000;

interface Parsed {
  readonly input: TaskInput;
  readonly fingerprint: string | null;
}

export class SubmitPipeline {
  readonly #env: BrokerEnv;
  readonly #gauges: Gauges;
  readonly #refusals: Refusals;
  readonly #health: StoreHealth;
  readonly #makeId: (at: number) => string;
  readonly #batchers = new Map<string, Batcher<NewTask, SubmitResult>>();
  readonly #onScheduled: (dueAt: number) => void;

  constructor(
    env: BrokerEnv,
    parts: { gauges: Gauges; refusals: Refusals; onScheduled: (dueAt: number) => void },
  ) {
    this.#env = env;
    this.#health = new StoreHealth(env);
    this.#gauges = parts.gauges;
    this.#refusals = parts.refusals;
    this.#onScheduled = parts.onScheduled;
    this.#makeId = idMaker((into) => env.randomBytes(into));
  }

  /** The last submission met a store that took nothing, and not long ago. */
  get storeFailing(): boolean {
    return this.#health.failing;
  }

  newId(): string {
    return this.#makeId(this.#env.clock.now());
  }

  async submit(raw: unknown, ask: SubmitAsk): Promise<SubmitReply> {
    const parsed = this.#parse(raw, ask, ask.upload !== null);
    if ('refused' in parsed) return { kind: 'refused', problem: parsed.refused };
    const { queue } = parsed.input;
    const saturated = await this.#saturated(parsed, ask);
    if (saturated !== null) return saturated;
    const task = this.#newTask(parsed, ask);
    const result = await this.#batcher(ask.principal).add(task);
    if (result.outcome === 'created' && task.runAt !== null) this.#onScheduled(task.runAt);
    return this.#reply(queue, result, ask);
  }

  /**
   * Before an upload's body is read: what can be told already. null: go on; the store decides when the task is inserted.
   * Throws nothing for bad input.
   */
  async precheck(raw: unknown, ask: SubmitAsk): Promise<SubmitReply | null> {
    const parsed = this.#parse(raw, ask, true);
    if ('refused' in parsed) return { kind: 'refused', problem: parsed.refused };
    const { input } = parsed;
    const known = await this.#replay(parsed, ask);
    // A duplicate goes on: only the file itself can tell whether it is the same one.
    if (known !== null) return known.outcome === 'conflict' ? this.#reply(input.queue, known, ask) : null;
    const saturated = await this.#saturated(parsed, ask);
    if (saturated !== null) return saturated;
    const load = await this.#gauges.load(input.queue);
    if (load === null) return null;
    const counts = {
      queued: load.queued,
      running: load.running,
      waitingForTime: load.scheduled + load.retrying,
      bytes: load.bytes,
      tenantDepth: 0, // only the store counts tenants
    };
    const refusal = countRefusal(counts, load.settings, {
      delayed: input.runAt !== null,
      priority: input.priority,
      bytes: input.bytes,
    });
    return refusal && this.#reply(input.queue, refusal, ask);
  }

  #parse(raw: unknown, ask: SubmitAsk, withFile: boolean): Parsed | { readonly refused: Problem } {
    const parsed = parseTask(raw, {
      at: this.#env.clock.now(),
      payloadBytesMax: this.#env.limits.maxPayloadBytes,
      headerKey: ask.headerKey,
    });
    if (!parsed.ok) return { refused: parsed.problem };
    const input = parsed.task;
    if (input.idempotencyKey === null) return { input, fingerprint: null };
    const sent = raw as Readonly<Record<string, unknown>>;
    return { input, fingerprint: fingerprint(sent, (text) => this.#env.sha256(text), withFile) };
  }

  /** Replays are never refused for load, so the key is looked up before the system's bound speaks. */
  async #saturated(parsed: Parsed, ask: SubmitAsk): Promise<SubmitReply | null> {
    const { maxPending } = this.#env.limits;
    const pending = await this.#gauges.pending();
    if (pending < maxPending) return null;
    const known = await this.#replay(parsed, ask);
    if (known !== null) return this.#reply(parsed.input.queue, known, ask);
    return { kind: 'refused', problem: this.#refusals.saturated(pending, maxPending) };
  }

  async #replay({ input, fingerprint: print }: Parsed, ask: SubmitAsk): Promise<SubmitResult | null> {
    if (input.idempotencyKey === null || print === null) return null;
    const query = {
      queue: input.queue,
      client: ask.principal,
      key: input.idempotencyKey,
      fingerprint: print,
    };
    const [known] = await this.#env.engine.replay([query], this.#call(ask.principal));
    return known ?? null;
  }

  #newTask({ input, fingerprint: print }: Parsed, { principal, upload }: SubmitAsk): NewTask {
    const at = this.#env.clock.now();
    return {
      ...input,
      id: upload?.id ?? this.#makeId(at),
      client: principal,
      input: upload?.file ?? null,
      fingerprint: print,
      keyHeldUntil: print === null ? null : at + this.#env.limits.idempotencyTtlS * 1000,
    };
  }

  #batcher(principal: string): Batcher<NewTask, SubmitResult> {
    let batcher = this.#batchers.get(principal);
    if (batcher === undefined) {
      const { engine } = this.#env;
      const submit = (batch: readonly NewTask[]) =>
        this.#health.watch(engine.submit(batch, this.#call(principal)));
      batcher = new Batcher(submit, BATCH_MAX);
      this.#batchers.set(principal, batcher);
    }
    return batcher;
  }

  async #reply(queue: string, result: SubmitResult, ask: SubmitAsk): Promise<SubmitReply> {
    switch (result.outcome) {
      case 'created': {
        const { id: taskId, status, position, depth, limit } = result;
        return { kind: 'accepted', taskId, status, queue, position, depth, limit };
      }
      case 'duplicate':
        if (ask.upload !== null && !(await this.#sameFile(result.id, ask.upload.file.sha256, ask))) {
          const details = { task_id: result.id };
          const refused = problem('IDEMPOTENCY_KEY_REUSED', 'the key was used with another file', {
            details,
          });
          return { kind: 'refused', problem: refused };
        }
        return { kind: 'duplicate', taskId: result.id, status: result.status, queue };
      default:
        return { kind: 'refused', problem: await this.#refusals.of(queue, result) };
    }
  }

  /** True also where the first task's record is gone: then its file is not known. */
  async #sameFile(id: string, sha256: string, ask: SubmitAsk): Promise<boolean> {
    const [task] = await this.#env.engine.get([id], this.#call(ask.principal));
    return task?.input == null || task.input.sha256 === sha256;
  }

  #call(principal: string): Call {
    return { at: this.#env.clock.now(), principal };
  }
}
