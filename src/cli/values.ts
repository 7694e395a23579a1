// Values that commands take as text: durations, JSON, settings.
import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { usageError } from './exit.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `1500`, `1500ms`, `1.5s`, `10m`, `2h`, `1d`, to whole milliseconds. */
export function durationMs(text: string): number {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)?$/.exec(text);
  const unit = UNITS[match?.[2] ?? 'ms'];
  if (match === null || unit === undefined) {
    throw new InvalidArgumentError('expected a duration such as 500ms, 10s, 5m, 2h or 1d.');
  }
  return Math.round(Number(match[1]) * unit);
}

export function integer(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected an integer.');
  return Number(text);
}

/** JSON as text, `@FILE` or `-` for standard input. */
export function jsonArgument(text: string): unknown {
  let source = text;
  if (text === '-' || text.startsWith('@')) {
    const file = text === '-' ? 0 : text.slice(1);
    try {
      source = readFileSync(file, 'utf8');
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unreadable';
      throw new InvalidArgumentError(
        `cannot read ${text === '-' ? 'standard input' : text.slice(1)} (${code}).`,
      );
    }
  }
  try {
    return JSON.parse(source);
  } catch (thrown) {
    const [where = ''] = /at position \d+/.exec(String(thrown)) ?? [];
    const place = where === '' ? '' : ` (${where})`;
    if (text === '-') throw new InvalidArgumentError(`standard input is not JSON${place}.`);
    if (text.startsWith('@')) throw new InvalidArgumentError(`${text.slice(1)} is not JSON${place}.`);
    throw new InvalidArgumentError('expected JSON, @FILE or - for standard input.');
  }
}

/** `name=value` pairs of `queue set`: the value is JSON where it reads as JSON, `default` takes the override back. */
export function settingsPatch(pairs: readonly string[]): Record<string, unknown> {
  const patch: Record<string, unknown> = Object.create(null);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`expected setting=value, got ${JSON.stringify(pair)}`);
    patch[pair.slice(0, at)] = settingValue(pair.slice(at + 1));
  }
  return patch;
}

function settingValue(text: string): unknown {
  if (text === 'default') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `name` or `name=weight`, weights 1..1000. */
export function queueWeights(texts: readonly string[]): { readonly name: string; readonly weight: number }[] {
  const queues = texts.map((text) => {
    const match = /^([a-z0-9][a-z0-9_.-]{0,63})(?:=(\d{1,4}))?$/.exec(text);
    const weight = Number(match?.[2] ?? 1);
    if (match?.[1] === undefined || weight < 1 || weight > 1000) {
      throw usageError(`--queue is ${JSON.stringify(text)}, expected name or name=weight, weight 1..1000`);
    }
    return { name: match[1], weight };
  });
  const names = queues.map((queue) => queue.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw usageError(`--queue names ${twice} twice`);
  return queues;
}
