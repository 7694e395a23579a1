// From bytes to records, by csv-parse (docs/decisions has the comparison), held to RFC 4180 and to bounded memory.
import { CsvError, Parser } from 'csv-parse';
import { HEADER_BYTES_MAX } from './header.ts';
import { FIELD_BYTES_MAX, type Table } from './table.ts';

const QUOTE = 0x22;
/** The parser looks a few bytes ahead, so what it holds back is not yet part of a field. */
const LOOKAHEAD = 64;
/** A value of quotes only takes two bytes each, within two more. */
const RAW_FIELD_MAX = 2 * FIELD_BYTES_MAX + 3 + LOOKAHEAD;

const RULES: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_INVALID_CLOSING_QUOTE:
    'a closing quote is followed by something else than a comma or the end of the line',
  INVALID_OPENING_QUOTE: 'a quote stands inside a field that does not begin with one',
};

/**
 * Feeds a table. Records are taken where the parser makes them (`push`) instead of through the stream's buffer or
 * its `on_record`: twice the rows a second, and nothing to hold.
 */
export class Records extends Parser {
  readonly #table: Table;
  #fed = 0;
  #recordEnd = 0;
  #lastByte = 0;

  constructor(table: Table) {
    super({
      bom: false,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: false,
    });
    this.#table = table;
    // Failures come by the callbacks of write and end.
    this.on('error', () => {});
  }

  override push(record: string[] | null): boolean {
    if (record === null) return super.push(null);
    const end = this.info.bytes;
    this.#table.take(record, record.length === 1 && record[0] === '' && this.#isBlank(end));
    this.#recordEnd = end;
    return true;
  }

  /** Reads whole UTF-8 sequences. `bytes` may be used again two calls later: the parser keeps a tail until then. */
  async feed(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#fed += bytes.length;
    this.#lastByte = bytes[bytes.length - 1] as number;
    await this.#settle((done) => this.write(bytes, done));
    this.#checkOpen();
  }

  async finish(): Promise<void> {
    await this.#settle((done) => this.end(done));
  }

  #settle(start: (done: (error?: Error | null) => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      start((error) => {
        if (!error) resolve();
        else if (error instanceof CsvError) resolve(this.#refuse(error.code));
        else reject(error);
      });
    });
  }

  /** The parser's own message quotes the file and counts a quoted CRLF as two lines: neither is passed on. */
  #refuse(code: string): void {
    this.#table.fail(this.#table.line, RULES[code] ?? 'the record is not valid CSV');
  }

  /** A single empty value is a blank line, or `""`: told by the bytes that it took (`""` may end the file). */
  #isBlank(end: number): boolean {
    const quotedAtEnd = end === this.#fed && this.#lastByte === QUOTE;
    return end - this.#recordEnd <= 2 && !quotedAtEnd;
  }

  /** Gives up early on a record that no rule can save, so that an open quote does not collect the whole file. */
  #checkOpen(): void {
    const table = this.#table;
    const record = this.#fed - this.#recordEnd;
    if (table.width === null) {
      if (record > HEADER_BYTES_MAX + LOOKAHEAD) table.fail(1, 'the header is longer than its names may be');
    } else if (this.#fed - this.info.bytes > RAW_FIELD_MAX) {
      table.fail(table.line, 'a field is over 1 MiB, or its quote is never closed');
    } else if (record > table.width * RAW_FIELD_MAX) {
      table.fail(table.line, 'the row is longer than its fields may be');
    }
  }
}
