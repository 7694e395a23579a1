// `npm run test:pack`: the one test that installs the package into an empty folder, which takes minutes where the SQLite
// driver has to be compiled.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/install/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
