import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Minutes long: vitest.pack.config.ts.
    exclude: ['**/node_modules/**', 'test/install/**'],
    pool: 'forks',
    // Threads inherit this preload, so that `new Worker(new URL('./x.ts', import.meta.url))` and piscina load TypeScript
    // entries inside tests (test/threads shows it).
    execArgv: ['--import', new URL('./scripts/register-ts.mjs', import.meta.url).href],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
