// `csv-import`: reads the CSV file that came with the task, in a thread, and results in a summary of its columns.
// docs/reference/csv-import.md has the rules and the shape of the result.
import { type Handler, type HandlerContext, type InputSource, PermanentError } from '../handler.ts';
import type { CsvPool } from './csv/pool.ts';
import type { CsvAnswer } from './csv/thread.ts';
import { payloadObject } from './payload.ts';

export function csvImport(pool: CsvPool): Handler {
  return async (payload, ctx) => {
    payloadObject('csv-import', payload, []);
    const input = ctx.input();
    if (input === null) throw new PermanentError('csv-import: no file came with the task');
    const answer = await read(pool, input, ctx);
    if (answer.kind === 'summary') return answer.summary;
    if (answer.kind === 'fault') throw new PermanentError(`csv-import: ${answer.message}`);
    if (answer.code === 'ENOENT') throw new PermanentError('csv-import: the file is gone');
    throw new Error(`csv-import: the file cannot be read (${answer.code})`);
  };
}

async function read(pool: CsvPool, input: InputSource, ctx: HandlerContext): Promise<CsvAnswer> {
  const { path, bytes, sha256 } = input;
  const onPercent = (percent: number): void => ctx.progress(percent, 'reading');
  try {
    return await pool.run({ source: { path, bytes, sha256 }, signal: ctx.signal, onPercent });
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw error;
  }
}
