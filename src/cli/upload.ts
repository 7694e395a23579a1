// The multipart form of a submission with a file: part `task` (JSON), then part `file`, read from disk as it is sent.
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { usageError } from './exit.ts';

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  txt: 'text/plain',
};

export async function submissionForm(task: unknown, path: string): Promise<FormData> {
  const form = new FormData();
  form.set('task', new Blob([JSON.stringify(task)], { type: 'application/json' }));
  form.set('file', await fileBlob(path), basename(path));
  return form;
}

async function fileBlob(path: string): Promise<Blob> {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  try {
    if (!(await stat(path)).isFile()) throw usageError(`--file ${path} is not a file`);
    return await openAsBlob(path, { type: TYPES[extension] ?? 'application/octet-stream' });
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (typeof code !== 'string') throw thrown;
    throw usageError(`--file ${path} cannot be read (${code})`);
  }
}
