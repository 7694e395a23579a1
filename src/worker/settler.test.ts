import { describe, expect, it } from 'vitest';
import { FakeEnv } from '../../test/support/fake-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import type { Task } from '../core/task.ts';
import { EngineError } from '../engine/errors.ts';
import type { Lease, Settlement, SettleResult } from '../engine/messages.ts';
import { Run } from './run.ts';
import { Settler } from './settler.ts';

type Reply = readonly SettleResult[] | Error;

/** Answers each settle call when, and as, the test says. */
function house() {
  const env = new FakeEnv();
  const calls: { readonly batch: readonly Settlement[]; readonly answer: (reply: Reply) => void }[] = [];
  const answers: string[] = [];
  const settler = new Settler({
    source: {
      settle: (batch) =>
        new Promise((resolve, reject) => {
          calls.push({ batch, answer: (reply) => (reply instanceof Error ? reject(reply) : resolve(reply)) });
        }),
    },
    env,
    workerId: 'w1',
    call: () => ({ at: env.now(), principal: 'anonymous' }),
    onAnswer: (run, answer) => answers.push(`${run.lease.token} ${answer}`),
  });
  let n = 0;
  const add = (count: number) => {
    for (let i = 0; i < count; i += 1) {
      n += 1;
      const about = { at: env.now(), elapsed: env.elapsed(), heartbeatMs: null };
      settler.add(new Run(lease(env.now(), `t${n}`), about), { kind: 'succeed', result: null });
    }
  };
  const answerAll = async () => {
    const call = calls.at(-1);
    call?.answer(call.batch.map(() => ({ outcome: 'settled', status: 'succeeded' })));
    await env.settle();
  };
  return { env, settler, calls, answers, add, answerAll };
}

function lease(at: number, token: string): Lease {
  const task = {
    ...newTask(at),
    attempt: 1,
    leaseLosses: 0,
    unknownSince: null,
    expiresAt: null,
  } as unknown as Task;
  const policy = { deadLetter: true, deadLetterOnExpiry: true, maxLeaseLosses: 3, unknownTypeMaxMs: 1 };
  return { task, token, until: at + 30_000, policy };
}

describe('Settler', () => {
  it('makes one call of what ended together; while it runs it collects, then all goes', async () => {
    const { env, settler, calls, add, answerAll } = house();
    add(3);
    await env.settle();
    expect(calls.map((call) => call.batch.length)).toEqual([3]);
    add(1);
    await env.settle();
    add(1);
    await env.settle();
    expect(calls).toHaveLength(1);
    expect(settler.pending).toBe(5);
    await answerAll();
    expect(calls.map((call) => call.batch.length)).toEqual([3, 2]);
    await answerAll();
    expect(settler.pending).toBe(0);
    await settler.idle();
  });

  it('sends at most 100 in a call', async () => {
    const { env, calls, add, answerAll } = house();
    add(250);
    await env.settle();
    await answerAll();
    await answerAll();
    await answerAll();
    expect(calls.map((call) => call.batch.length)).toEqual([100, 100, 50]);
  });

  it('repeats the same settlements while the store fails, with growing pauses and one warning', async () => {
    const { env, calls, answers, add, answerAll } = house();
    add(1);
    await env.settle();
    for (let i = 1; i <= 5; i += 1) {
      calls.at(-1)?.answer(new EngineError('STORE_UNAVAILABLE', 'away', { outcome: 'unknown' }));
      await env.settle();
      expect(calls).toHaveLength(i);
      await env.advance(50 * 2 ** i);
      expect(calls).toHaveLength(i + 1);
    }
    expect(new Set(calls.map((call) => call.batch[0]?.token))).toEqual(new Set(['t1']));
    await answerAll();
    expect(answers).toEqual(['t1 settled']);
    expect(env.lines.map((line) => line.level)).toEqual(['warn', 'info']);
  });

  it('does not let one refused item take the others with it', async () => {
    const { env, calls, answers, add, answerAll } = house();
    add(3);
    await env.settle();
    calls.at(-1)?.answer(new EngineError('INVALID_CALL', 'no'));
    await env.settle();
    await answerAll();
    calls.at(-1)?.answer(new EngineError('INVALID_CALL', 'no'));
    await env.settle();
    await answerAll();
    expect(answers).toEqual(['t1 settled', 't2 unanswered', 't3 settled']);
  });

  it('gives up at close what the store has not answered', async () => {
    const { env, settler, calls, answers, add } = house();
    add(1);
    await env.settle();
    calls.at(-1)?.answer(new EngineError('STORE_UNAVAILABLE', 'away'));
    await env.settle();
    const idle = settler.idle();
    settler.close();
    await env.settle();
    await idle;
    expect(answers).toEqual(['t1 unanswered']);
    expect(env.timerCount).toBe(0);
  });
});
