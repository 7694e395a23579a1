// A task with its file, as multipart/form-data: part `task` (JSON) first, then part `file`. What can be refused from the
// task alone is refused before the file is read; whatever goes wrong later, no file stays behind.
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Broker } from '../broker/broker.ts';
import type { SubmitAsk, SubmitReply, Upload } from '../broker/replies.ts';
import type { Uploads } from '../broker/uploads.ts';
import { ApiProblem, problem } from '../core/codes.ts';
import { isObject } from '../core/fields.ts';
import { DEFAULT_QUEUE } from '../core/task-input.ts';
import { EngineError } from '../engine/errors.ts';
import type { AppParts } from './context.ts';
import { parseJson } from './json-body.ts';
import { invalidRequest } from './problems.ts';

/** Seconds until a full disk is tried again. */
const DISK_RETRY_S = 30;

interface FormParts {
  readonly broker: Broker;
  readonly uploads: Uploads;
  readonly config: Pick<AppParts['config'], 'maxBodyBytes' | 'maxFileBytes'>;
}

/** Every part comes as a stream, also `task`: which of them are files is for us to say, not for their headers. */
export function takeForms(app: FastifyInstance): void {
  void app.register(multipart, {
    isPartAFile: () => true,
    throwFileSizeLimit: false,
    // The real bounds are on the task's text and in the stream to disk.
    limits: { fileSize: Number.POSITIVE_INFINITY },
  });
}

export async function submitForm(
  request: FastifyRequest,
  ask: SubmitAsk,
  parts: FormParts,
): Promise<SubmitReply> {
  const { broker, uploads, config } = parts;
  const form = request.parts()[Symbol.asyncIterator]() as AsyncIterator<MultipartFile>;
  const raw = parseJson(await textOf(await partNamed('task', form), config.maxBodyBytes));
  const early = await broker.precheck(raw, ask);
  if (early !== null) return early;
  const upload = await received(await partNamed('file', form), broker.newTaskId(), { raw, uploads });
  return await withFile(upload, uploads, async () => {
    await endOf(form);
    return await broker.submit(raw, { ...ask, upload });
  });
}

async function partNamed(name: string, form: AsyncIterator<MultipartFile>): Promise<MultipartFile> {
  const part = await nextPart(form);
  if (part?.fieldname === name) return part;
  throw new ApiProblem(invalidRequest(name, 'parts task, then file', part === null ? 'missing' : 'other'));
}

async function endOf(form: AsyncIterator<MultipartFile>): Promise<void> {
  if ((await nextPart(form)) === null) return;
  throw new ApiProblem(invalidRequest('the body', 'no part after file', 'other'));
}

async function nextPart(form: AsyncIterator<MultipartFile>): Promise<MultipartFile | null> {
  const next = await form.next().catch(() => {
    throw broken();
  });
  return next.done === true ? null : next.value;
}

async function textOf({ file }: MultipartFile, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of file as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) break;
      chunks.push(chunk);
    }
  } catch {
    throw broken();
  }
  if (bytes <= limit) return Buffer.concat(chunks);
  const details = { bytes, limit };
  throw new ApiProblem(problem('BODY_TOO_LARGE', `the task is over ${limit} bytes`, { details }));
}

async function received(
  { file, filename, mimetype }: MultipartFile,
  id: string,
  about: { readonly raw: unknown; readonly uploads: Uploads },
): Promise<Upload> {
  const { raw, uploads } = about;
  const queue = isObject(raw) && typeof raw.queue === 'string' ? raw.queue : DEFAULT_QUEUE;
  try {
    return await uploads.receive(file, { id, queue, name: filename ?? '', contentType: mimetype });
  } catch (error) {
    if (error instanceof ApiProblem) throw error;
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new ApiProblem(problem('SATURATED', 'there is no room for files', { retryAfterS: DISK_RETRY_S }));
    }
    // What the disk refused is ours to mend; anything else came over the line.
    throw syscall === undefined ? broken() : error;
  }
}

/** Deletes the file unless a task holds it, or may hold it: the sweep of orphans finds it where none does. */
async function withFile(
  { file }: Upload,
  uploads: Uploads,
  submit: () => Promise<SubmitReply>,
): Promise<SubmitReply> {
  let held = false;
  try {
    const reply = await submit();
    held = reply.kind === 'accepted';
    return reply;
  } catch (error) {
    held = error instanceof EngineError && error.outcome === 'unknown';
    throw error;
  } finally {
    if (!held) await uploads.remove(file.path);
  }
}

function broken(): ApiProblem {
  return new ApiProblem(invalidRequest('the body', 'complete multipart/form-data', 'other'));
}
