// How a command ends: its exit codes, and the error that carries one with the line to print.

export const EXIT = {
  done: 0,
  failed: 1,
  /** Usage or configuration. */
  usage: 2,
  /** Refused for load: try again after the time printed. */
  refused: 3,
  unreachable: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends the command with one line on stderr. */
export class CliError extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CliError';
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CliError {
  return new CliError(EXIT.usage, message);
}
