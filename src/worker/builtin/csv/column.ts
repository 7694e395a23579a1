// What an import learns of one column: a few numbers, whatever the file's length.

/** Optional sign, digits with an optional point, optional exponent. Linear on any text: no two parts overlap. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

interface NumberColumn {
  readonly name: string;
  readonly type: 'number';
  readonly non_empty: number;
  readonly empty: number;
  readonly min: number;
  readonly max: number;
  /** Of doubles, in file order; null where it leaves their range. */
  readonly sum: number | null;
  readonly mean: number | null;
}

interface TextColumn {
  readonly name: string;
  readonly type: 'text';
  readonly non_empty: number;
  readonly empty: number;
  /** In code points, over non-empty values; null where there are none. */
  readonly min_length: number | null;
  readonly max_length: number | null;
}

export type ColumnSummary = NumberColumn | TextColumn;

/** Takes the values of a column one by one. It is `number` until a value proves otherwise. */
export class Column {
  readonly name: string;
  #nonEmpty = 0;
  #empty = 0;
  #numeric = true;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #sum = 0;
  #minLength = Number.POSITIVE_INFINITY;
  #maxLength = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(value: string): void {
    if (value.length === 0) {
      this.#empty++;
      return;
    }
    this.#nonEmpty++;
    if (this.#numeric) this.#numeric = this.#addNumber(value);
    // Also while numeric: a text further down makes the whole column text, lengths of all its values included.
    const length = codePoints(value);
    if (length < this.#minLength) this.#minLength = length;
    if (length > this.#maxLength) this.#maxLength = length;
  }

  #addNumber(value: string): boolean {
    if (!NUMBER.test(value)) return false;
    const number = Number(value);
    if (!Number.isFinite(number)) return false;
    if (number < this.#min) this.#min = number;
    if (number > this.#max) this.#max = number;
    this.#sum += number;
    return true;
  }

  summary(): ColumnSummary {
    const counts = { non_empty: this.#nonEmpty, empty: this.#empty };
    if (this.#numeric && this.#nonEmpty > 0) {
      const sum = Number.isFinite(this.#sum) ? this.#sum : null;
      const mean = sum === null ? null : sum / this.#nonEmpty;
      return { name: this.name, type: 'number', ...counts, min: this.#min, max: this.#max, sum, mean };
    }
    const none = this.#nonEmpty === 0;
    const lengths = { min_length: none ? null : this.#minLength, max_length: none ? null : this.#maxLength };
    return { name: this.name, type: 'text', ...counts, ...lengths };
  }
}

/** Code points of a text without lone surrogates, which decoded UTF-8 cannot hold. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}
