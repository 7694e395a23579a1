// Preload that lets a process and every worker thread started under it load TypeScript: `node --import ./scripts/register-ts.mjs x.ts`.
// `--import tsx` alone is not enough: on Node 20 it registers in the main thread only, and a thread's .ts entry is refused.
import { register } from 'tsx/esm/api';

register();
