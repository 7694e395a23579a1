// Where configuration comes from: flags, this process' environment, sluice.config.json in the working folder.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type OptionsResult, parseOptions } from '../core/options-parse.ts';

const FILE = 'sluice.config.json';
/** Read by clients, not by servers; a server must not stop because of it. */
const CLIENT_ENV = 'SLUICE_URL';
const DEFAULT_URL = 'http://127.0.0.1:7070';

/** `flags` by option key. Everything that is wrong comes as one line each. */
export function loadConfiguration(flags: Readonly<Record<string, unknown>>): OptionsResult {
  const file = readConfigFile();
  if (!file.ok) return file;
  const { [CLIENT_ENV]: _, ...env } = process.env;
  return parseOptions({ flags, env, ...(file.content === undefined ? {} : { file: file.content }) });
}

/** This process' environment without Sluice's settings: for a server that must be deaf to them. */
export function bareEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SLUICE_')));
}

/** The server that client commands talk to, or what is wrong with the setting. */
export function clientUrl(flag: string | undefined): { readonly url: string } | { readonly error: string } {
  const [name, text] =
    flag === undefined ? [CLIENT_ENV, process.env[CLIENT_ENV] || DEFAULT_URL] : ['--url', flag];
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return { url: text };
  return { error: `${name} is ${JSON.stringify(text)}, expected an http:// or https:// address` };
}

function readConfigFile(): { ok: true; content: unknown } | { ok: false; errors: readonly string[] } {
  let text: string;
  try {
    text = readFileSync(resolve(FILE), 'utf8');
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
    if (code === 'ENOENT') return { ok: true, content: undefined };
    return { ok: false, errors: [`${FILE} cannot be read (${code ?? 'unknown'})`] };
  }
  try {
    return { ok: true, content: JSON.parse(text) };
  } catch {
    return { ok: false, errors: [`${FILE} is not JSON`] };
  }
}
