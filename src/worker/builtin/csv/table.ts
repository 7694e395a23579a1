// The rules of a table, record by record: header first, every row as long, blank lines only at the end.
// Counts physical lines itself: a record spans one line more than its values hold line feeds, whatever the parser.
import { Column, type ColumnSummary } from './column.ts';
import { CsvFault } from './fault.ts';
import { headerFault } from './header.ts';

/** UTF-8 bytes of one value. */
export const FIELD_BYTES_MAX = 1024 * 1024;

export interface CsvSummary {
  readonly rows: number;
  readonly columns: readonly ColumnSummary[];
}

export class Table {
  #columns: Column[] | null = null;
  #rows = 0;
  #nextLine = 1;
  /** The first of the blank lines that nothing has followed so far. */
  #blankSince: number | null = null;
  #fault: CsvFault | null = null;

  /** The first fault; what comes after it is not looked at. */
  get fault(): CsvFault | null {
    return this.#fault;
  }

  /** The line where the next record starts (or the one that is being read). */
  get line(): number {
    return this.#nextLine;
  }

  /** Null before the header. */
  get width(): number | null {
    return this.#columns === null ? null : this.#columns.length;
  }

  /** Takes the next record; `blank` where it is a line of no characters at all. */
  take(fields: readonly string[], blank: boolean): void {
    if (this.#fault !== null) return;
    const line = this.#nextLine;
    this.#nextLine = line + 1 + lineFeeds(fields);
    if (this.#columns === null) this.#takeHeader(fields, blank);
    else if (blank) this.#blankSince ??= line;
    else this.#takeRow(fields, this.#columns, line);
  }

  /** A fault of the record at `line`, unless blank lines before it (no longer at the end) are one already. */
  fail(line: number, rule: string): void {
    if (this.#blankSince === null) this.#fault ??= new CsvFault(line, rule);
    else this.#fault ??= new CsvFault(this.#blankSince, 'a blank line stands between rows');
  }

  /** What the whole file came to. Throws the fault where there is one, or where no header came. */
  summary(): CsvSummary {
    if (this.#columns === null) this.fail(1, 'the file is empty, a header is required');
    if (this.#fault !== null) throw this.#fault;
    return { rows: this.#rows, columns: (this.#columns ?? []).map((column) => column.summary()) };
  }

  #takeHeader(names: readonly string[], blank: boolean): void {
    const fault = blank ? 'the line is blank, a header is required' : headerFault(names);
    if (fault !== null) this.fail(1, fault);
    else this.#columns = names.map((name) => new Column(name));
  }

  #takeRow(fields: readonly string[], columns: readonly Column[], line: number): void {
    if (this.#blankSince !== null || fields.length !== columns.length) {
      this.fail(line, `the row has ${count(fields.length)}, the header has ${count(columns.length)}`);
      return;
    }
    for (let i = 0; i < columns.length; i++) {
      const value = fields[i] as string;
      if (isOversize(value)) {
        this.fail(line, `field ${i + 1} is over 1 MiB`);
        return;
      }
      (columns[i] as Column).add(value);
    }
    this.#rows++;
  }
}

function count(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`;
}

/** UTF-8 takes one to three bytes a UTF-16 unit, so nearly all values are told by their length alone. */
function isOversize(value: string): boolean {
  if (value.length * 3 <= FIELD_BYTES_MAX) return false;
  return value.length > FIELD_BYTES_MAX || Buffer.byteLength(value) > FIELD_BYTES_MAX;
}

function lineFeeds(fields: readonly string[]): number {
  let found = 0;
  for (const field of fields) {
    for (let at = field.indexOf('\n'); at !== -1; at = field.indexOf('\n', at + 1)) found++;
  }
  return found;
}
