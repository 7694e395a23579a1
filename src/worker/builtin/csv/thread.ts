// What runs in a pool thread: one file, its answer as plain data, its progress through a port.
import type { MessagePort } from 'node:worker_threads';
import { analyse, type CsvSource } from './analyse.ts';
import { CsvFault } from './fault.ts';
import type { CsvSummary } from './table.ts';

export interface CsvJob {
  readonly source: CsvSource;
  /** Gets each whole percent of the bytes once: at most 101 small messages a file. Closed by the receiver. */
  readonly progress: MessagePort;
}

/** Neither a class nor an error's code survives the way between threads; a tagged answer does. */
export type CsvAnswer =
  | { readonly kind: 'summary'; readonly summary: CsvSummary }
  | { readonly kind: 'fault'; readonly message: string }
  /** The machine's refusal, as a system error's code: its message has the path in it. */
  | { readonly kind: 'unreadable'; readonly code: string };

export default async function runCsvJob({ source, progress }: CsvJob): Promise<CsvAnswer> {
  let told = -1;
  const onBytes = (bytes: number): void => {
    const percent = source.bytes ? Math.min(100, Math.floor((100 * bytes) / source.bytes)) : 100;
    if (percent === told) return;
    told = percent;
    progress.postMessage(percent);
  };
  try {
    return { kind: 'summary', summary: await analyse(source, { onBytes }) };
  } catch (error) {
    if (error instanceof CsvFault) return { kind: 'fault', message: error.message };
    if (isSystemError(error)) return { kind: 'unreadable', code: error.code };
    throw error;
  }
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
