// Flags over environment over file over defaults, to a typed configuration or the list of everything that is wrong.
import { isObject } from './fields.ts';
import type { OptionKind } from './option-kinds.ts';
import { type Config, namesOf, OPTION_KEYS, OPTIONS, type Option, type OptionKey } from './options.ts';
import { didYouMean } from './suggest.ts';

export interface OptionSources {
  /** By option key, as a command line parser gives them; other keys are the parser's business. */
  readonly flags?: Readonly<Record<string, unknown>>;
  /** The whole environment: only SLUICE_* is looked at, and an empty value counts as not set. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The parsed sluice.config.json. */
  readonly file?: unknown;
}

export type OptionsResult =
  | { readonly ok: true; readonly config: Config }
  /** One line each: setting, value and range. */
  | { readonly ok: false; readonly errors: readonly string[] };

interface Found {
  readonly name: string;
  readonly value: unknown;
}

export function parseOptions(sources: OptionSources): OptionsResult {
  const errors: string[] = [...unknownNames(sources)];
  const given: Partial<Record<OptionKey, unknown>> = {};
  const hostName = find('host', sources)?.name ?? namesOf('host').env;
  for (const key of OPTION_KEYS) {
    const found = find(key, sources);
    if (found === null) continue;
    const kind: OptionKind<unknown> = OPTIONS[key].kind;
    const value = kind.read(found.value);
    if (value === undefined) errors.push(refusal(found, kind));
    else given[key] = value;
  }
  const defaults = Object.fromEntries(
    OPTION_KEYS.map((key) => [key, (OPTIONS[key] as Option<unknown>).default]),
  );
  const config = complete({ ...defaults, ...given } as Config, given);
  if (errors.length === 0) errors.push(...conflicts(config, hostName));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, config };
}

/** True where only this machine can connect. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function find(key: OptionKey, { flags, env, file }: OptionSources): Found | null {
  const names = namesOf(key);
  const flagged = flags?.[key];
  if (flagged !== undefined) return { name: names.flag, value: flagged };
  const text = env?.[names.env];
  if (text !== undefined && text !== '') return { name: names.env, value: text };
  if (isObject(file) && Object.hasOwn(file, names.file)) {
    return { name: `${names.file} (sluice.config.json)`, value: file[names.file] };
  }
  return null;
}

function unknownNames({ env, file }: OptionSources): string[] {
  const names = OPTION_KEYS.map(namesOf);
  const envNames = names.map((name) => name.env);
  const fileNames = names.map((name) => name.file);
  const errors = Object.keys(env ?? {})
    .filter((name) => name.startsWith('SLUICE_') && !envNames.includes(name))
    .map((name) => `${shown(name)} is not a setting${didYouMean(name, envNames)}`);
  if (file === undefined) return errors;
  if (!isObject(file)) return [...errors, 'sluice.config.json: expected a JSON object'];
  const unknown = Object.keys(file).filter((name) => !fileNames.includes(name));
  return [
    ...errors,
    ...unknown.map(
      (name) => `sluice.config.json: ${shown(name)} is not a setting${didYouMean(name, fileNames)}`,
    ),
  ];
}

function refusal({ name, value }: Found, kind: OptionKind<unknown>): string {
  const safe = typeof value === 'string' && kind.redact ? kind.redact(value) : value;
  return `${name} is ${shown(JSON.stringify(safe) ?? String(safe))}, expected ${kind.range}`;
}

/** One line, whatever came: control characters escaped, and never long. */
function shown(text: string): string {
  const line = text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (odd) => `\\u${odd.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}

/** Fills in the defaults that follow from other options. */
function complete(config: Config, given: Partial<Record<OptionKey, unknown>>): Config {
  const { store } = config;
  const beside = store.engine === 'sqlite' && store.path !== null ? filesBeside(store.path) : null;
  return {
    ...config,
    files: config.files ?? beside,
    heartbeatMs: given.heartbeatMs === undefined ? Math.floor(config.leaseMs / 3) : config.heartbeatMs,
  };
}

function filesBeside(path: string): string {
  const folder = path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return `${folder}files`;
}

/** Values that are fine alone and wrong together. */
function conflicts(config: Config, hostName: string): string[] {
  const { host, allowAnonymous, heartbeatMs, leaseMs, retryAfterMinS, retryAfterMaxS } = config;
  const { maxPayloadBytes, maxBodyBytes } = config;
  const checks: [boolean, string][] = [
    [
      !isLoopback(host) && !allowAnonymous,
      `${hostName} is "${host}", expected a loopback address, or ${namesOf('allowAnonymous').flag}`,
    ],
    [
      heartbeatMs >= leaseMs,
      `${namesOf('heartbeatMs').env} is ${heartbeatMs}, expected less than ${namesOf('leaseMs').env} (${leaseMs})`,
    ],
    [
      retryAfterMinS > retryAfterMaxS,
      `${namesOf('retryAfterMinS').env} is ${retryAfterMinS}, expected at most ${namesOf('retryAfterMaxS').env} (${retryAfterMaxS})`,
    ],
    [
      maxPayloadBytes > maxBodyBytes,
      `${namesOf('maxPayloadBytes').env} is ${maxPayloadBytes}, expected at most ${namesOf('maxBodyBytes').env} (${maxBodyBytes})`,
    ],
  ];
  return checks.filter(([broken]) => broken).map(([, line]) => line);
}
