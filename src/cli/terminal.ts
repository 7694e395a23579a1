// What commands print with: tables and colour on a terminal, tab-separated lines elsewhere, JSON where asked for.
import { createInterface } from 'node:readline/promises';
import pc from 'picocolors';
import { usageError } from './exit.ts';

type Colors = ReturnType<typeof pc.createColors>;

export interface Terminal {
  /** Result, on stdout. */
  out(line: string): void;
  /** Remarks and errors, on stderr. */
  err(line: string): void;
  /** stdout is a terminal. */
  readonly isTty: boolean;
  readonly colors: Colors;
  /** Replaces the last status line on stderr; off a terminal nothing is written. null clears it. */
  status(line: string | null): void;
  /** Asks a yes-or-no question. Where nobody can answer, a usage error that names `--yes`. */
  confirm(question: string): Promise<boolean>;
}

export function processTerminal(): Terminal {
  const isTty = process.stdout.isTTY === true;
  const statusTty = process.stderr.isTTY === true;
  let shown = false;
  const clear = () => {
    if (shown) process.stderr.write('\r\u001b[2K');
    shown = false;
  };
  return {
    isTty,
    colors: pc.createColors(isTty && pc.isColorSupported),
    out(line) {
      clear();
      process.stdout.write(`${line}\n`);
    },
    err(line) {
      clear();
      process.stderr.write(`${line}\n`);
    },
    status(line) {
      if (!statusTty) return;
      clear();
      if (line === null) return;
      process.stderr.write(line.slice(0, Math.max(20, (process.stderr.columns || 80) - 1)));
      shown = true;
    },
    async confirm(question) {
      if (process.stdin.isTTY !== true || !statusTty) {
        throw usageError(`${question} Nobody to ask here: repeat with --yes`);
      }
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
      } finally {
        lines.close();
      }
    },
  };
}

export type Cell = string | number | boolean | null | undefined;

/** Rows under a header; off a terminal without it, separated by tabs, for other programs to cut. */
export function printTable(
  terminal: Terminal,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): void {
  const texts = rows.map((row) => row.map(textOf));
  if (!terminal.isTty) {
    for (const row of texts) terminal.out(row.join('\t'));
    return;
  }
  const widths = header.map((name, i) => Math.max(name.length, ...texts.map((row) => (row[i] ?? '').length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  terminal.out(terminal.colors.bold(line(header)));
  for (const row of texts) terminal.out(line(row));
}

/** Names and values, one a line; nested values as compact JSON. */
export function printFields(terminal: Terminal, fields: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    const text = typeof value === 'object' ? JSON.stringify(value) : textOf(value as Cell);
    terminal.out(terminal.isTty ? `${terminal.colors.dim(name.padEnd(width))}  ${text}` : `${name}\t${text}`);
  }
}

/** No control character of a stored text may reach a terminal. */
function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '-';
  return String(cell).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
