// A fault of the file itself: what `csv-import` says and where, never what stands there.

/** Ends an import for good. The message names a rule and a line, and holds nothing from the file. */
export class CsvFault extends Error {
  /** 1-based physical line where the faulty record starts; null for a fault of the file as a whole. */
  readonly line: number | null;

  constructor(line: number | null, rule: string) {
    super(line === null ? rule : `line ${line}: ${rule}`);
    this.name = 'CsvFault';
    this.line = line;
  }
}
