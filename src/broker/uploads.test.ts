import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { brokerHouse } from '../../test/support/broker-env.ts';
import { newTask } from '../../test/support/new-task.ts';
import { ApiProblem } from '../core/codes.ts';
import { ANONYMOUS } from '../engine/principal.ts';
import { Uploads } from './uploads.ts';

const ID = '01a22f9e-a841-7000-b462-98aa6f000000';
const HOUR = 3_600_000;
const about = { id: ID, queue: 'default', name: 'data.csv', contentType: 'text/csv' };
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function opened() {
  const root = mkdtempSync(join(tmpdir(), 'sluice-uploads-'));
  folders.push(root);
  const folder = join(root, 'files');
  const house = await brokerHouse();
  const uploads = new Uploads(folder, house);
  await uploads.open();
  return { folder, house, uploads, files: () => readdirSync(folder) };
}

async function* chunks(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part);
}

describe('receive', () => {
  it('writes what comes, counts and hashes it, under a name of our own', async () => {
    const { folder, uploads } = await opened();
    const { id, file } = await uploads.receive(chunks('a,b\n', '', '1,ü\n'), about);
    expect(id).toBe(ID);
    expect(file).toEqual({
      name: 'data.csv',
      contentType: 'text/csv',
      bytes: 9,
      sha256: createHash('sha256').update('a,b\n1,ü\n').digest('hex'),
      path: `${ID}_default`,
    });
    expect(readFileSync(join(folder, file.path), 'utf8')).toBe('a,b\n1,ü\n');
  });

  it('takes an empty file', async () => {
    const { uploads, files } = await opened();
    expect((await uploads.receive(chunks(), about)).file.bytes).toBe(0);
    expect(files()).toHaveLength(1);
  });

  it('keeps folder and files to the owner', async () => {
    const { folder, uploads } = await opened();
    const { file } = await uploads.receive(chunks('x'), about);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, file.path)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\files\\data.csv', 'data.csv'],
    ['line\nbreak\u202etxt.csv', 'linebreaktxt.csv'],
    ['😀'.repeat(300), '😀'.repeat(255)],
    ['', ''],
  ])('a name of %j is kept as %j, and never used', async (name, kept) => {
    const { uploads, files } = await opened();
    const { file } = await uploads.receive(chunks('x'), { ...about, name });
    expect(file.name).toBe(kept);
    expect(files()).toEqual([`${ID}_default`]);
  });

  it('stops at the bound while the file comes, and leaves nothing', async () => {
    const { uploads, files } = await opened();
    expect((await uploads.receive(chunks('x'.repeat(1_000)), about)).file.bytes).toBe(1_000);
    await uploads.remove(`${ID}_default`);
    let asked = 0;
    const endless = async function* () {
      for (;;) {
        asked += 1;
        yield Buffer.alloc(300);
      }
    };
    const refused = await uploads.receive(endless(), about).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiProblem);
    expect((refused as ApiProblem).problem).toMatchObject({
      code: 'FILE_TOO_LARGE',
      details: { bytes: 1_200, limit: 1_000 },
    });
    expect(asked).toBeLessThan(20);
    expect(files()).toEqual([]);
  });

  it('leaves nothing where the line breaks, early or late', async () => {
    const { uploads, files } = await opened();
    for (let turn = 0; turn < 200; turn += 1) {
      const broken = async function* () {
        for (let chunk = 0; chunk < turn % 4; chunk += 1) yield Buffer.from('x');
        throw new Error('line');
      };
      const body = turn % 2 === 0 ? broken() : Readable.from(broken());
      await expect(uploads.receive(body, about)).rejects.toThrow('line');
      expect(files()).toEqual([]);
    }
  });

  it('leaves nothing where the sender goes away before the first byte', async () => {
    const { uploads, files } = await opened();
    for (let turn = 0; turn < 100; turn += 1) {
      const body = new Readable({ read: () => undefined });
      const received = uploads.receive(body, about);
      body.destroy(new Error('gone'));
      await expect(received).rejects.toThrow('gone');
      expect(files()).toEqual([]);
    }
  });
});

describe('remove', () => {
  it('deletes a file, does not mind a missing one, and never leaves the folder', async () => {
    const { folder, house, uploads, files } = await opened();
    const outside = join(folder, '..', 'outside');
    writeFileSync(outside, 'x');
    const { file } = await uploads.receive(chunks('x'), about);
    await uploads.remove(file.path);
    await uploads.remove(file.path);
    await uploads.remove('../outside');
    expect(files()).toEqual([]);
    expect(readFileSync(outside, 'utf8')).toBe('x');
    expect(house.time.lines).toEqual([]);
  });

  it('says where it could not', async () => {
    const { folder, house, uploads } = await opened();
    mkdirSync(join(folder, 'kept'));
    await uploads.remove('kept');
    expect(house.time.lines).toMatchObject([{ level: 'warn', fields: { path: 'kept' } }]);
  });
});

describe('sweep', () => {
  /** A file of our kind, and how old it is. */
  function lay(folder: string, name: string, at: number): void {
    writeFileSync(join(folder, name), 'x');
    utimesSync(join(folder, name), at / 1000, at / 1000);
  }

  it('deletes old files that no task holds, and no others', async () => {
    const { folder, house, uploads, files } = await opened();
    const at = house.clock.now();
    const old = at - HOUR;
    const held = newTask(at, { queue: 'a.b_c' });
    const path = `${held.id}_a.b_c`;
    const input = { name: 'n', contentType: 't', bytes: 1, sha256: 'f'.repeat(64), path };
    await house.engine.submit([{ ...held, input }], { at, principal: ANONYMOUS });
    lay(folder, path, old);
    const other = newTask(at).id;
    lay(folder, `${other}_a.b_c`, old);
    lay(folder, `${other}_unknown`, old);
    lay(folder, `${other}_default`, at - HOUR + 1_000);
    lay(folder, 'readme.txt', old);
    lay(folder, `${other}.csv`, old);

    expect(await uploads.sweep()).toBe(2);
    expect(files().sort()).toEqual([path, `${other}_default`, 'readme.txt', `${other}.csv`].sort());
    expect(house.time.lines).toMatchObject([{ level: 'info', fields: { files: 2 } }]);
    await house.time.advance(1_000);
    expect(await uploads.sweep()).toBe(1);
    expect(await uploads.sweep()).toBe(0);
  });

  it('keeps what another task of the same id prefix holds under another name only', async () => {
    const { folder, house, uploads, files } = await opened();
    const at = house.clock.now();
    const task = newTask(at);
    await house.engine.submit([task], { at, principal: ANONYMOUS });
    lay(folder, `${task.id}_default`, at - HOUR);
    expect(await uploads.sweep()).toBe(1);
    expect(files()).toEqual([]);
  });

  it('stops where the store does not answer, and deletes nothing on a guess', async () => {
    const { folder, house, uploads, files } = await opened();
    const at = house.clock.now();
    lay(folder, `${ID}_default`, at - HOUR);
    await house.engine.close();
    await expect(uploads.sweep()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(files()).toHaveLength(1);
  });
});
