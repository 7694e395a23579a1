// A process that imports one file on one slot and prints its rows and its own peak memory: `import-once.ts PATH BYTES SHA256`.
import { builtinHandlers } from '../../src/worker/builtin/handlers.ts';

const [path = '', bytes = '', sha256 = ''] = process.argv.slice(2);
const builtin = builtinHandlers(1);
const handler = builtin.handlers.get('csv-import');
const result = await handler?.(
  {},
  {
    signal: new AbortController().signal,
    attempt: 1,
    deliveries: 1,
    expiresAt: null,
    get task(): never {
      throw new Error('an import needs nothing of the task but what the context gives');
    },
    progress: () => {},
    input: () => ({ path, name: 'input.csv', contentType: 'text/csv', bytes: Number(bytes), sha256 }),
    log: () => {},
  },
);
await builtin.close();
console.log(JSON.stringify({ result, peakKib: process.resourceUsage().maxRSS }));
