// The recount can fail: every kind of drift that it looks for, planted by hand.
import { expect, it } from 'vitest';
import { recount } from '../../src/engines/sqlite/recount.ts';
import { newTask } from '../support/new-task.ts';
import { openHere } from './house.ts';
import { AT, CALL, reserve, succeeded } from './work.ts';

const DRIFTS: readonly (readonly [sql: string, found: string])[] = [
  ['UPDATE queues SET queued = queued + 1', 'counters of a queue'],
  ['UPDATE queues SET running_bytes = running_bytes - 1', 'counters of a queue'],
  ['UPDATE queues SET accepted = accepted + 1', 'accepted + redriven'],
  ['DELETE FROM ready WHERE pos = (SELECT max(pos) FROM ready)', 'queued tasks in their lines'],
  ['UPDATE ready SET deliveries = 3', 'queued tasks in their lines'],
  ['UPDATE lines SET queued = 99', 'lengths of lines'],
  ['DELETE FROM schedule', 'scheduled and retrying tasks'],
  ['UPDATE expiring SET at = at + 1', 'waiting tasks that expire'],
  ['UPDATE leases SET queue = 1', 'leases and their tasks'],
  ['UPDATE requests SET live = live + 1', 'leases of requests'],
  ['UPDATE tasks SET retain_from = NULL WHERE status = 4', 'final tasks are kept'],
  ['DELETE FROM dead', 'dead letters'],
  ['DELETE FROM result_ends', 'results'],
  ['DELETE FROM bodies WHERE seq = 1', 'bodies'],
  ['DELETE FROM keys', 'keys and their tasks'],
  ['INSERT INTO lapsing SELECT held_until, key FROM keys', 'keys that lapse'],
];

it.each(DRIFTS)('%s', async (drift, found) => {
  const { engine, db } = await openHere({ file: ':memory:' });
  const key = { idempotencyKey: 'k', fingerprint: 'f', keyHeldUntil: AT + 1_000 };
  const batch = [newTask(AT), newTask(AT), newTask(AT), newTask(AT, key), newTask(AT, { ttlMs: 5_000 })];
  await engine.submit([...batch, newTask(AT, { runAt: AT + 1 })], CALL);
  const [one, two] = await reserve(engine, 3);
  if (!one || !two) throw new Error('nothing reserved');
  const error = { name: 'E', message: 'm', retryable: false };
  const decision = { to: 'dead_lettered', reason: 'permanent_failure', error } as const;
  const done = succeeded(one);
  const [result, dead] = [
    { ...done, settled: { ...done.settled, decision: { to: 'succeeded', result: '1' } } },
    { ...succeeded(two), settled: { decision, outcome: 'dead_lettered', retryDelayMs: null } },
  ] as const;
  await engine.settle([result, dead], CALL);
  expect(recount(db)).toEqual([]);
  db.exec(drift);
  expect(recount(db).join('\n')).toContain(found);
});
