// Opening: who may, what is checked, and what a file looks like from outside.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { folder, open, openHere, submit } from './house.ts';
import { CALL, reserve, succeeded } from './work.ts';

describe('the file', () => {
  it('is made private, with the folders that are missing', async () => {
    const root = folder();
    const file = join(root, 'deep', 'er', 'sluice.db');
    await open({ file });
    expect(statSync(join(root, 'deep')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'deep', 'er')).mode & 0o777).toBe(0o700);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(`${file}-wal`).mode & 0o777).toBe(0o600);
  });

  it('keeps what was accepted over a restart', async () => {
    const file = join(folder(), 'sluice.db');
    const first = await open({ file });
    const id = await submit(first, { payload: '{"a":1}', bytes: 9 });
    await first.close();
    const second = await open({ file });
    const [task] = await second.get([id], CALL);
    expect(task).toMatchObject({ id, status: 'queued', payload: '{"a":1}' });
    const [load] = await second.load(['default'], CALL);
    expect(load).toMatchObject({ queued: 1, bytes: 9 });
  });

  it('can be read by others while it is open, and is a plain database', async () => {
    const file = join(folder(), 'sluice.db');
    const engine = await open({ file });
    await submit(engine);
    const reader = new Database(file, { readonly: true });
    expect(reader.prepare('SELECT count(*) FROM tasks').pluck().get()).toBe(1);
    expect(reader.pragma('journal_mode', { simple: true })).toBe('wal');
    reader.close();
    await submit(engine);
  });

  it.each([
    ['full', 2],
    ['relaxed', 1],
  ] as const)('durability %s is synchronous %d', async (durability, synchronous) => {
    const { db } = await openHere({ file: join(folder(), 'sluice.db'), durability });
    expect(db.pragma('synchronous', { simple: true })).toBe(synchronous);
  });

  it('is not needed: a store in memory lives in its thread', async () => {
    const engine = await open({ file: ':memory:' });
    expect(engine.capabilities.durable).toBe(false);
    await submit(engine);
    const leases = await reserve(engine, 5);
    expect(await engine.settle(leases.map(succeeded), CALL)).toEqual([
      { outcome: 'settled', status: 'succeeded' },
    ]);
  });
});

describe('one owner', () => {
  it('refuses a second engine of the same process', async () => {
    const file = join(folder(), 'sluice.db');
    await open({ file });
    await expect(open({ file })).rejects.toMatchObject({ code: 'SECOND_OWNER', retryable: false });
  });

  it('knows the file by any of its names', async () => {
    const root = folder();
    await open({ file: join(root, 'sluice.db') });
    const link = join(folder(), 'link');
    symlinkSync(root, link);
    mkdirSync(join(root, 'sub'));
    symlinkSync(join(root, 'sluice.db'), join(root, 'sub', 'other.db'));
    await expect(open({ file: join(root, 'sub', '..', 'sluice.db') })).rejects.toMatchObject({
      code: 'SECOND_OWNER',
    });
    await expect(open({ file: join(root, 'sub', 'other.db') })).rejects.toMatchObject({
      code: 'SECOND_OWNER',
    });
    await expect(open({ file: join(link, 'sluice.db') })).rejects.toMatchObject({
      code: 'SECOND_OWNER',
    });
  });

  it('refuses another process, and takes over at once when that one is killed', async () => {
    const file = join(folder(), 'sluice.db');
    const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [file, 'hold']);
    await once(child, 'message');
    await expect(open({ file })).rejects.toMatchObject({ code: 'SECOND_OWNER' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await submit(await open({ file }));
  });

  it('lets go when it is closed', async () => {
    const file = join(folder(), 'sluice.db');
    const first = await open({ file });
    await first.close();
    await submit(await open({ file }));
  });
});

describe('a file that is not right', () => {
  it('is refused when a newer program wrote it', async () => {
    const file = join(folder(), 'sluice.db');
    const db = new Database(file);
    db.pragma('user_version = 999');
    db.close();
    await expect(open({ file })).rejects.toMatchObject({ code: 'SCHEMA_NEWER', retryable: false });
  });

  it('is refused when another program made it', async () => {
    const file = join(folder(), 'sluice.db');
    const db = new Database(file);
    db.exec('CREATE TABLE theirs (a)');
    db.close();
    await expect(open({ file })).rejects.toMatchObject({ code: 'CORRUPT', retryable: false });
  });

  it('is refused when it is no database', async () => {
    const file = join(folder(), 'sluice.db');
    writeFileSync(file, 'this is a text, and long enough to be taken for something else'.repeat(20));
    await expect(open({ file })).rejects.toMatchObject({ code: 'CORRUPT', retryable: false });
  });

  it('is refused when it is damaged, unless the check is off', async () => {
    const file = join(folder(), 'sluice.db');
    const engine = await open({ file });
    for (let i = 0; i < 200; i += 1) await submit(engine, { payload: JSON.stringify('x'.repeat(500)) });
    await engine.close();
    const bytes = readFileSync(file);
    bytes.fill(0xee, bytes.length >> 1, (bytes.length >> 1) + 8192);
    writeFileSync(file, bytes);
    await expect(open({ file })).rejects.toMatchObject({ code: 'CORRUPT' });
    await open({ file, integrityCheck: 'off' });
  });

  it('is refused when the folder cannot be made', async () => {
    const root = folder();
    writeFileSync(join(root, 'file'), '');
    const opening = open({ file: join(root, 'file', 'sluice.db') });
    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', outcome: 'none' });
  });
});
