// Threads started by the code under test load their TypeScript entries: vitest.config.ts hands the loader down.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { expect, it } from 'vitest';

it('a worker thread loads a TypeScript entry and what it imports', async () => {
  const worker = new Worker(new URL('./echo-entry.ts', import.meta.url), { workerData: 21 });
  const [answer] = await once(worker, 'message');
  await worker.terminate();
  expect(answer).toBe(42);
});

it('a piscina thread loads a TypeScript entry and what it imports', async () => {
  const pool = new Piscina({ filename: new URL('./pool-entry.ts', import.meta.url).href, maxThreads: 1 });
  try {
    expect(await pool.run(21)).toBe(42);
  } finally {
    await pool.destroy();
  }
});
