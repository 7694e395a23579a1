import { expect, it } from 'vitest';
import type { AttemptRecord } from '../../core/task.ts';
import { addAttempt, readAttempts, wasSettledBy } from './history.ts';

const record = (attempt: number): AttemptRecord => ({
  attempt,
  workerId: 'w "quoted"',
  startedAt: 1,
  finishedAt: 2,
  outcome: 'retrying',
  error: { name: 'E', message: 'm', retryable: true },
  retryDelayMs: 3,
});

it('keeps the last twenty attempts, oldest first, with the tokens that settled them', () => {
  let history: string | null = null;
  expect(readAttempts(history)).toEqual([]);
  expect(wasSettledBy(history, '1.n')).toBe(false);
  for (let attempt = 1; attempt <= 25; attempt += 1)
    history = addAttempt(history, record(attempt), `${attempt}.n`);
  expect(readAttempts(history)).toEqual(Array.from({ length: 20 }, (_, i) => record(i + 6)));
  expect(wasSettledBy(history, '5.n')).toBe(false);
  expect(wasSettledBy(history, '6.n')).toBe(true);
  expect(wasSettledBy(history, '25.n')).toBe(true);
  expect(wasSettledBy(history, '25')).toBe(false);
});
