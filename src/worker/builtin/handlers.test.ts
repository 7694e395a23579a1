import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Handler, HandlerContext, InputSource } from '../handler.ts';
import { builtinHandlers } from './handlers.ts';

const builtin = builtinHandlers(2);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-builtin-'));
});
afterAll(async () => {
  await builtin.close();
  await rm(folder, { recursive: true, force: true });
});

interface Around {
  readonly input?: InputSource;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
  readonly percents?: number[];
}

function handler(type: string): Handler {
  const found = builtin.handlers.get(type);
  if (found === undefined) throw new Error(`no handler ${type}`);
  return found;
}

/** Runs a handler as the runtime does; a synchronous throw is a rejection too. */
async function run(type: string, payload: unknown, around: Around = {}): Promise<unknown> {
  const ctx: HandlerContext = {
    signal: around.signal ?? new AbortController().signal,
    attempt: around.attempt ?? 1,
    deliveries: around.attempt ?? 1,
    expiresAt: null,
    get task(): never {
      throw new Error('a built-in type needs nothing of the task but what the context gives');
    },
    progress: (percent) => around.percents?.push(percent),
    input: () => around.input ?? null,
    log: () => {},
  };
  return handler(type)(payload, ctx);
}

async function inputOf(name: string, content: string): Promise<InputSource> {
  const path = join(folder, name);
  await writeFile(path, content);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { path, name, contentType: 'text/csv', bytes: Buffer.byteLength(content), sha256 };
}

const permanent = (message: string) =>
  expect.objectContaining({ name: 'PermanentError', retryable: false, message });

test('the types that come with Sluice', () => {
  expect([...builtin.handlers.keys()]).toEqual([
    'noop',
    'echo',
    'sleep',
    'flaky',
    'always-fail',
    'csv-import',
  ]);
});

test('noop results in null, echo in its payload', async () => {
  expect(await run('noop', { any: 'thing' })).toBe(null);
  const payload = { a: [1, null, 'x'] };
  expect(await run('echo', payload)).toBe(payload);
});

test('sleep waits, and an abort ends it', async () => {
  expect(await run('sleep', { ms: 1 })).toBe(null);
  const abort = new AbortController();
  const long = run('sleep', { ms: 86_400_000 }, { signal: abort.signal });
  abort.abort();
  await expect(long).rejects.toMatchObject({ name: 'AbortError' });
});

test('flaky fails the first attempts, then succeeds', async () => {
  const outcomes = [1, 2, 3, 4].map((attempt) =>
    run('flaky', { failures: 2 }, { attempt }).catch((error: Error) => error.message),
  );
  expect(await Promise.all(outcomes)).toEqual([
    'flaky: attempt 1 of 2 that fail',
    'flaky: attempt 2 of 2 that fail',
    { attempt: 3 },
    { attempt: 4 },
  ]);
});

test('always-fail fails as asked', async () => {
  await expect(run('always-fail', {})).rejects.toThrow('always-fail: as asked');
  await expect(run('always-fail', { message: 'no' })).rejects.toMatchObject({ name: 'Error', message: 'no' });
  await expect(run('always-fail', { message: 'no', permanent: true })).rejects.toEqual(permanent('no'));
});

test.each([
  ['sleep', null, 'sleep: the payload must be an object'],
  ['sleep', [1], 'sleep: the payload must be an object'],
  ['sleep', {}, 'sleep: ms must be an integer in 0..86400000'],
  ['sleep', { ms: '5' }, 'sleep: ms must be an integer in 0..86400000'],
  ['sleep', { ms: -1 }, 'sleep: ms must be an integer in 0..86400000'],
  ['sleep', { ms: 1.5 }, 'sleep: ms must be an integer in 0..86400000'],
  ['sleep', { ms: 86_400_001 }, 'sleep: ms must be an integer in 0..86400000'],
  ['sleep', { ms: 1, seconds: 1 }, 'sleep: unknown payload field "seconds"; it takes ms'],
  ['flaky', {}, 'flaky: failures must be an integer in 0..1000'],
  ['always-fail', { message: 5 }, 'always-fail: message must be a string of at most 500 characters'],
  ['always-fail', { permanent: 'yes' }, 'always-fail: permanent must be true or false'],
  [
    'always-fail',
    { ['x'.repeat(100)]: 1 },
    `always-fail: unknown payload field "${'x'.repeat(40)}"; it takes message, permanent`,
  ],
  ['csv-import', 'x', 'csv-import: the payload must be an object'],
  ['csv-import', { path: '/etc/passwd' }, 'csv-import: unknown payload field "path"; it takes none'],
  ['csv-import', {}, 'csv-import: no file came with the task'],
])('%s refuses the payload %j for good', async (type, payload, message) => {
  await expect(run(type, payload)).rejects.toEqual(permanent(message));
});

test('csv-import sums a file up in a thread and tells its progress', async () => {
  const percents: number[] = [];
  const rows = Array.from({ length: 60_000 }, (_, i) => `${i + 1},city ${i % 7}`);
  const input = await inputOf('good.csv', `id,city\n${rows.join('\n')}\n`);
  expect(await run('csv-import', {}, { input, percents })).toEqual({
    rows: 60_000,
    columns: [
      {
        name: 'id',
        type: 'number',
        non_empty: 60_000,
        empty: 0,
        min: 1,
        max: 60_000,
        sum: 1_800_030_000,
        mean: 30_000.5,
      },
      { name: 'city', type: 'text', non_empty: 60_000, empty: 0, min_length: 6, max_length: 6 },
    ],
  });
  expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
  expect(percents.at(-1)).toBe(100);
});

test('csv-import fails for good on a fault of the file, with the line', async () => {
  const input = await inputOf('bad.csv', 'a,b\n1,2\nSECRET\n');
  const rule = 'csv-import: line 3: the row has 1 field, the header has 2 fields';
  await expect(run('csv-import', {}, { input })).rejects.toEqual(permanent(rule));
});

test('csv-import fails for good where the file is gone or another one, and names no path', async () => {
  const input = await inputOf('changed.csv', 'a\n1\n');
  await writeFile(input.path, 'a\n2\n');
  const changed = 'csv-import: the file is not the one that was accepted';
  await expect(run('csv-import', {}, { input })).rejects.toEqual(permanent(changed));
  await rm(input.path);
  await expect(run('csv-import', {}, { input })).rejects.toEqual(permanent('csv-import: the file is gone'));
  const folderInput = { ...input, path: folder };
  await expect(run('csv-import', {}, { input: folderInput })).rejects.toEqual(
    expect.objectContaining({ name: 'Error', message: 'csv-import: the file cannot be read (EISDIR)' }),
  );
});

test('an abort kills the thread, and the next import gets a new one', async () => {
  const abort = new AbortController();
  const input = await inputOf('long.csv', `a,b\n${'1,x\n'.repeat(2_000_000)}`);
  const percents: number[] = [];
  const reason = new Error('cancelled');
  percents.push = (): number => {
    abort.abort(reason);
    return 0;
  };
  await expect(run('csv-import', {}, { input, signal: abort.signal, percents })).rejects.toBe(reason);
  await expect(run('csv-import', {}, { input, signal: abort.signal })).rejects.toBe(reason);
  const short = await inputOf('short.csv', 'a\n1\n');
  expect(await run('csv-import', {}, { input: short })).toMatchObject({ rows: 1 });
});

test('closing twice, or before any import, is quiet', async () => {
  const unused = builtinHandlers(1);
  await unused.close();
  await unused.close();
});
