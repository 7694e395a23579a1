// A terminal that keeps what is printed. It is no TTY, and nobody answers its questions.
import pc from 'picocolors';
import { usageError } from '../../src/cli/exit.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export interface RecordingTerminal extends Terminal {
  readonly printed: { out: string; err: string };
}

export function recordingTerminal(isTty = false): RecordingTerminal {
  const printed = { out: '', err: '' };
  return {
    printed,
    isTty,
    colors: pc.createColors(false),
    out(line) {
      printed.out += `${line}\n`;
    },
    err(line) {
      printed.err += `${line}\n`;
    },
    status: () => undefined,
    confirm: async (question) => {
      throw usageError(`${question} Nobody to ask here: repeat with --yes`);
    },
  };
}
