// One pass over a CSV file: bytes -> hash and UTF-8 check -> records -> table. Memory is a few blocks and O(columns).
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { CsvFault } from './fault.ts';
import { Records } from './records.ts';
import { type CsvSummary, Table } from './table.ts';
import { firstInvalid, wholeSequences } from './utf8.ts';

const BLOCK_BYTES = 256 * 1024;
/** Bytes of one sequence that a block may leave to the next. */
const CARRY_MAX = 3;
const BOM = [0xef, 0xbb, 0xbf] as const;

export interface CsvSource {
  readonly path: string;
  /** What the file was when it was accepted; null: not known, not checked. */
  readonly bytes: number | null;
  /** Lower-case hex; null: not known, not checked. */
  readonly sha256: string | null;
}

export interface AnalyseOptions {
  /** Bytes read so far, after each block. */
  readonly onBytes?: (bytes: number) => void;
  /** Bytes read at a time, >= 4; a test's way to cut a file anywhere. */
  readonly blockBytes?: number;
}

/** Throws a CsvFault for a fault of the file; anything else that it throws is a fault of the machine. */
export async function analyse(source: CsvSource, options: AnalyseOptions = {}): Promise<CsvSummary> {
  const file = await open(source.path, 'r');
  try {
    return await analyseFile(file, source, options);
  } finally {
    await file.close();
  }
}

async function analyseFile(
  file: FileHandle,
  source: CsvSource,
  options: AnalyseOptions,
): Promise<CsvSummary> {
  const hash = createHash('sha256');
  const table = new Table();
  const records = new Records(table);
  let total = 0;
  try {
    for await (const block of blocks(file, options.blockBytes ?? BLOCK_BYTES)) {
      hash.update(block.fresh);
      await feed(records, table, block);
      if (table.fault !== null) throw table.fault;
      total += block.fresh.length;
      options.onBytes?.(total);
    }
    await records.finish();
    if (table.fault !== null) throw table.fault;
  } finally {
    records.destroy();
  }
  checkUnchanged(source, total, hash.digest('hex'));
  return table.summary();
}

interface Block {
  /** Whole sequences, the byte order mark removed; at the end of the file possibly a broken one. */
  readonly text: Uint8Array;
  /** The bytes that came from the file with this block. */
  readonly fresh: Uint8Array;
}

/** Reads into two buffers in turn: the parser keeps a tail of the one while the other is filled. */
async function* blocks(file: FileHandle, blockBytes: number): AsyncGenerator<Block> {
  let [buffer, other] = [Buffer.alloc(blockBytes + CARRY_MAX), Buffer.alloc(blockBytes + CARRY_MAX)];
  let carried = 0;
  let first = true;
  for (;;) {
    const read = await readFully(file, buffer.subarray(carried, carried + blockBytes));
    const held = buffer.subarray(0, carried + read);
    if (held.length === 0) return;
    const last = read < blockBytes;
    const cut = last ? held.length : wholeSequences(held);
    const start = first && BOM.every((byte, i) => held[i] === byte) ? BOM.length : 0;
    first = false;
    yield { text: held.subarray(start, cut), fresh: held.subarray(carried) };
    if (last) return;
    carried = held.length - cut;
    held.copy(other, 0, cut);
    [buffer, other] = [other, buffer];
  }
}

/** Fills `target` but for the end of the file, so that a short read never passes for it. */
async function readFully(file: FileHandle, target: Uint8Array): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await file.read(target, filled, target.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

async function feed(records: Records, table: Table, block: Block): Promise<void> {
  const invalid = firstInvalid(block.text);
  if (invalid === null) {
    await records.feed(block.text);
    return;
  }
  await records.feed(block.text.subarray(0, invalid));
  // Letters in place of the rest: they end no record, and bring the parser past all that it holds back.
  await records.feed(Buffer.alloc(64, 'x'));
  table.fail(table.line, 'the bytes are not UTF-8');
}

function checkUnchanged(source: CsvSource, bytes: number, sha256: string): void {
  const sameLength = source.bytes === null || source.bytes === bytes;
  const sameHash = source.sha256 === null || source.sha256 === sha256;
  if (!sameLength || !sameHash) throw new CsvFault(null, 'the file is not the one that was accepted');
}
