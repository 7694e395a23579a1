// Task types that the tests of the command line serve, as a user would write them.
import { setTimeout as sleep } from 'node:timers/promises';

export const greet = {
  type: 'greet',
  handler: (payload: { name: string }) => `hello ${payload.name}`,
};

export const fails = {
  type: 'fails',
  handler: () => {
    throw new Error('as ever');
  },
};

export const hangs = {
  type: 'hangs',
  handler: (_: unknown, { signal }: { signal: AbortSignal }) => sleep(600_000, null, { signal }),
};
