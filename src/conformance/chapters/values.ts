// Values: what users send comes back as it was, and no name means anything to a store.
import assert from 'node:assert/strict';
import type { NewTask } from '../../engine/messages.ts';
import { chapter } from '../frame.ts';
import { type Lab, pages, START } from '../lab.ts';

const NAMES = [
  '{x}',
  'x}',
  '{}',
  '{}a{b}',
  '}x',
  'a/b',
  '../..',
  '%2e%2e',
  'a:b',
  'a b',
  "it's; DROP TABLE tasks; --",
  '"quoted"',
  'back\\slash',
  '*?[a]',
  '__proto__',
  'constructor',
  'x'.repeat(300),
  `${'same-prefix-of-forty-characters-........'}-1`,
  `${'same-prefix-of-forty-characters-........'}-2`,
  'ünïcödé',
  'u\u0308',
  'ü',
  '\u{1f600}\u{1f468}\u200d\u{1f469}',
  '\u202eright to left',
  '0',
  'null',
  'line\nbreak',
];

const TEXTS = [
  'null',
  '"plain"',
  '"\\u0000 in an escape"',
  '"\\ud800 alone"',
  '"\\udc00\\ud800 turned round"',
  '"\\ud83d\\ude00 escaped pair"',
  '"\u{1f600} raw pair"',
  '{"__proto__":{"polluted":true},"constructor":1}',
  '[9007199254740993,1e400,-0,0.1]',
  '"\u2028\u2029"',
  `"${'é'.repeat(10_000)}"`,
  `${'['.repeat(32)}${']'.repeat(32)}`,
];

async function roundTrip(lab: Lab, spec: Partial<NewTask>): Promise<void> {
  const id = await lab.add(spec);
  const task = await lab.get(id);
  for (const [name, value] of Object.entries(spec)) {
    assert.deepEqual(task[name as keyof typeof task], value, `${name} of ${JSON.stringify(spec)}`);
  }
}

export const values = chapter('values', (test) => {
  test('queue names are data and never meet', {}, async (lab) => {
    for (const queue of NAMES) await roundTrip(lab, { queue });
    for (const queue of NAMES) {
      assert.equal((await lab.load(queue)).queued, 1, queue);
      const leases = await lab.reserve({ queues: [{ name: queue, weight: 1 }], max: 5 });
      assert.deepEqual(
        leases.map(({ task }) => task.queue),
        [queue],
      );
    }
    const found = await pages((cursor) => lab.engine.queues({ limit: 4, cursor }, lab.call));
    assert.deepEqual(found.toSorted(), NAMES.toSorted());
  });

  test('types, tenants, clients and keys are data and never meet', {}, async (lab) => {
    for (const name of NAMES) {
      await roundTrip(lab, { type: name, tenant: name, client: name, idempotencyKey: name });
    }
    for (const name of NAMES) {
      const [again] = await lab.submit({ client: name, idempotencyKey: name });
      assert.equal(again?.outcome, 'duplicate', name);
      const page = await pages((cursor) => lab.engine.list({ tenant: name, limit: 3, cursor }, lab.call));
      assert.deepEqual(
        page.map(({ type }) => type),
        [name],
      );
    }
    const leases = await lab.reserve({ max: 100 });
    assert.deepEqual(
      leases.map(({ task }) => task.tenant),
      NAMES,
      'one turn for each tenant',
    );
  });

  test('worker ids, request ids and nonces are data', {}, async (lab) => {
    for (const name of NAMES) {
      const id = await lab.add();
      const lease = await lab.take({ workerId: name, requestId: name, nonce: name });
      assert.equal(lease.token, `1.${name}`);
      const settlement = lab.settlement(lease, { kind: 'succeed', result: null }, name);
      const [result] = await lab.engine.settle([settlement], lab.call);
      assert.equal(result?.outcome, 'settled');
      assert.equal((await lab.get(id)).attempts[0]?.workerId, name);
    }
  });

  test('JSON text comes back letter by letter', {}, async (lab) => {
    for (const text of TEXTS) {
      await roundTrip(lab, { payload: text, metadata: text });
      const lease = await lab.take();
      assert.equal(lease.task.payload, text);
      await lab.succeed(lease, text);
      assert.equal((await lab.get(lease.task.id)).result, text);
    }
  });

  test('a result of 65,536 bytes and a payload of 262,144 are kept', {}, async (lab) => {
    const result = `"${'r'.repeat(65_534)}"`;
    await roundTrip(lab, { payload: `"${'p'.repeat(262_142)}"` });
    const lease = await lab.take();
    await lab.succeed(lease, result);
    assert.equal((await lab.get(lease.task.id)).result, result);
  });

  test('errors and progress come back as they were', {}, async (lab) => {
    for (const message of ['', 'a\nb', "'; --", '\u{1f600}', 'é'.repeat(500)]) {
      const id = await lab.add();
      const lease = await lab.take();
      const progress = { percent: 0.1, message };
      await lab.engine.extend([{ id, token: lease.token, leaseMs: 10, progress }], lab.call);
      const error = { name: message.slice(0, 100), message, retryable: false };
      await lab.end(lease, { kind: 'fail', error });
      const task = await lab.get(id);
      assert.deepEqual([task.lastError, task.progress, task.attempts[0]?.error], [error, progress, error]);
    }
  });

  test('large numbers are exact', {}, async (lab) => {
    const far = START + 10 * 365.25 * 86_400_000;
    const id = await lab.add({ runAt: far, ttlMs: 2 ** 45, timeoutMs: 86_400_000, bytes: 2 ** 40 });
    const task = await lab.get(id);
    assert.deepEqual(
      [task.availableAt, task.expiresAt, task.ttlMs, task.timeoutMs],
      [far, START + 2 ** 45, 2 ** 45, 86_400_000],
    );
    await lab.add({ bytes: 2 ** 52 });
    assert.equal((await lab.load()).bytes, 2 ** 40 + 2 ** 52);
  });

  test('every priority has its lane', { priorityAgingMs: 0 }, async (lab) => {
    for (let priority = 0; priority <= 9; priority += 1) await roundTrip(lab, { priority });
    assert.deepEqual(
      (await lab.reserve({ max: 10 })).map(({ task }) => task.priority),
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    );
  });

  test('an input file is described as it was', {}, async (lab) => {
    const input = {
      name: '../étrange "name".csv',
      contentType: 'text/csv; charset=utf-8',
      bytes: 2 ** 33,
      sha256: '0123456789abcdef'.repeat(4),
      path: 'aa/bb.bin',
    };
    await roundTrip(lab, { input, retry: { baseMs: 0, multiplier: 1.0001, maxMs: 0, jitter: 1 } });
  });

  test('audit details and worker figures keep their shape', {}, async (lab) => {
    const details = { text: '\u0001"é', list: [1, null, { deep: true }], number: 0.1 + 0.2 };
    const entry = { at: START, principal: 'p', action: 'a', queue: '{x}', target: null, details };
    await lab.engine.audit.append([entry], lab.call);
    assert.deepEqual((await lab.engine.audit.list({ limit: 1, cursor: null }, lab.call)).items, [entry]);
  });
});
