// The process' log: JSON lines, or one readable line each on a terminal. Always on stderr: stdout is for results.

import pc from 'picocolors';
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Config } from '../core/options.ts';

export function createLog(config: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const pretty = (config.logFormat ?? (process.stderr.isTTY ? 'pretty' : 'json')) === 'pretty';
  const stream = destination({ dest: 2, sync: true });
  return pino(
    { level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pretty ? prettyOver(stream) : stream,
  );
}

const COLORS: Readonly<Record<string, (text: string) => string>> = {
  20: pc.dim,
  30: pc.green,
  40: pc.yellow,
  50: pc.red,
  60: pc.red,
};

function prettyOver(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(`${prettyLine(line)}\n`) };
}

/** `12:03:04 INFO message name=value ...`; control characters stay escaped, as JSON has them. */
export function prettyLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const name = (pino.levels.labels[Number(level)] ?? 'log').toUpperCase().padEnd(5);
  const colored = COLORS[String(level)]?.(name) ?? name;
  const more = Object.entries(fields).map(([key, value]) => pc.dim(` ${key}=${JSON.stringify(value)}`));
  const text = JSON.stringify(String(msg ?? ''))
    .slice(1, -1)
    .replaceAll('\\"', '"');
  return `${String(time).slice(11, 19)} ${colored} ${text}${more.join('')}`;
}
