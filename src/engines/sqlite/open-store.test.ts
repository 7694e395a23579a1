import { expect, it, vi } from 'vitest';
import { openDatabase } from './open-store.ts';
import { withDefaults } from './options.ts';

vi.mock('better-sqlite3', () => {
  throw new Error("Cannot find package 'better-sqlite3'");
});

it('without its driver the store says what to install', async () => {
  const opening = openDatabase(withDefaults({ file: ':memory:' }));
  await expect(opening).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    retryable: false,
    message: expect.stringContaining('npm install better-sqlite3'),
  });
});
