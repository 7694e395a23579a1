// The raw limit of csv-import: the least script with the same parser, inference and hashing. No thread, no UTF-8
// check, no line numbers, no rules.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Parser } from 'csv-parse';
import { Column } from '../src/worker/builtin/csv/column.ts';

class BareParser extends Parser {
  columns: Column[] = [];
  rows = -1;

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    if (this.rows++ < 0) this.columns = record.map((name) => new Column(name));
    else for (const [i, column] of this.columns.entries()) column.add(record[i] as string);
    return true;
  }
}

export async function bareImport(path: string) {
  const parser = new BareParser({ relax_column_count: true, record_delimiter: ['\r\n', '\n'] });
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    hash.update(bytes);
    parser.write(bytes);
  }
  parser.end();
  await finished(parser, { readable: false });
  const columns = parser.columns.map((column) => column.summary());
  return { rows: parser.rows, columns, sha256: hash.digest('hex') };
}
