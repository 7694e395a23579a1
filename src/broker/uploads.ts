// Files that come with tasks: streamed to a name of our own, capped and hashed on the way, deleted with their task.
// A name is `<id without home>_<queue>`, so that a file tells which task it belongs to and orphans can be found.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiProblem, problem } from '../core/codes.ts';
import { isTaskId, stampHome } from '../core/id.ts';
import { SYSTEM } from '../engine/principal.ts';
import type { BrokerEnv } from './env.ts';
import type { Upload } from './replies.ts';

/** A younger file may belong to a task that another server is just inserting. */
const ORPHAN_AGE_MS = 3_600_000;
const ID_LENGTH = 36;
/** Characters kept of what a client says of its file. */
const SHOWN_MAX = 255;

export interface UploadAbout {
  readonly id: string;
  readonly queue: string;
  /** The client's name for it: shown, never used as a path. */
  readonly name: string;
  readonly contentType: string;
}

export class Uploads {
  readonly folder: string;
  readonly #env: Pick<BrokerEnv, 'engine' | 'clock' | 'limits' | 'log'>;

  constructor(folder: string, env: Pick<BrokerEnv, 'engine' | 'clock' | 'limits' | 'log'>) {
    this.folder = folder;
    this.#env = env;
  }

  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await chmod(this.folder, 0o700);
  }

  /** Streams the body to disk. FILE_TOO_LARGE while it comes; whatever fails, no file is left. */
  async receive(body: AsyncIterable<Uint8Array>, about: UploadAbout): Promise<Upload> {
    const limit = this.#env.limits.maxFileBytes;
    const path = `${about.id}_${about.queue}`;
    const hash = createHash('sha256');
    let bytes = 0;
    const measured = async function* (source: AsyncIterable<Uint8Array>) {
      for await (const chunk of source) {
        bytes += chunk.length;
        if (bytes > limit) {
          const details = { bytes, limit };
          throw new ApiProblem(problem('FILE_TOO_LARGE', `the file is over ${limit} bytes`, { details }));
        }
        hash.update(chunk);
        yield chunk;
      }
    };
    // On disk before the task is: a 202 promises the file too.
    const target = createWriteStream(join(this.folder, path), { flags: 'wx', mode: 0o600, flush: true });
    try {
      await pipeline(body, measured, target);
      await this.#flushFolder();
    } catch (error) {
      // It may still be about to be made: deleted too early, it would stay.
      if (!target.closed) await new Promise<void>((closed) => target.once('close', () => closed()));
      await this.remove(path);
      throw error;
    }
    const [name, contentType] = [shown(fileName(about.name)), shown(about.contentType)];
    return { id: about.id, file: { name, contentType, bytes, sha256: hash.digest('hex'), path } };
  }

  /** One of our files as a stream; null: it is not there. */
  async read(path: string): Promise<Readable | null> {
    try {
      const file = await open(this.pathOf(path), 'r');
      return file.createReadStream();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Deletes one of our files; a missing one is fine. */
  async remove(path: string): Promise<void> {
    try {
      await unlink(this.pathOf(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#env.log('warn', 'an uploaded file could not be deleted', { path });
      }
    }
  }

  /** Where the file lies. Names come from the store only, and still never lead out of the folder. */
  pathOf(path: string): string {
    return join(this.folder, basename(path));
  }

  /** Deletes files that no task holds: left by a crash between upload and insert, or between prune and delete. */
  async sweep(): Promise<number> {
    let swept = 0;
    for (const name of await readdir(this.folder)) {
      const age = await this.#ageMs(name);
      if (age === null || age < ORPHAN_AGE_MS || (await this.#isHeld(name))) continue;
      await this.remove(name);
      swept += 1;
    }
    if (swept > 0) this.#env.log('info', 'deleted uploaded files that no task holds', { files: swept });
    return swept;
  }

  /** The new file's entry; where the system cannot flush folders, the file's own flush has to do. */
  async #flushFolder(): Promise<void> {
    const folder = await open(this.folder, 'r').catch(() => null);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  }

  async #ageMs(name: string): Promise<number | null> {
    try {
      const { mtimeMs } = await stat(join(this.folder, name));
      return this.#env.clock.now() - mtimeMs;
    } catch {
      return null;
    }
  }

  /** What is not named by us is not ours to delete. */
  async #isHeld(name: string): Promise<boolean> {
    const id = name.slice(0, ID_LENGTH);
    if (!isTaskId(id) || name[ID_LENGTH] !== '_') return true;
    const { engine, clock } = this.#env;
    const call = { at: clock.now(), principal: SYSTEM };
    const [load] = await engine.load([name.slice(ID_LENGTH + 1)], call);
    if (!load) return false;
    const [task] = await engine.get([stampHome(id, { queueNumber: load.number, shard: 0 })], call);
    return task?.input?.path === name;
  }
}

/** The last part of a path of any system. */
function fileName(name: string): string {
  return name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
}

/** A client's words as they may be stored and shown: no control, bidi or half characters, and not long. */
function shown(text: string): string {
  return [...text.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')].slice(0, SHOWN_MAX).join('');
}
