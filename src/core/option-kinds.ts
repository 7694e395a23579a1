// Kinds of option values: how each is read from text (flags, environment) and from JSON (the file), strictly.

export interface OptionKind<T> {
  /** The values that pass, in words. */
  readonly range: string;
  /** Where the value may hold a password: what may be shown of it. */
  readonly redact?: (text: string) => string;
  /** undefined: refused. Text is what flags and the environment have; a flag without value is `true`. */
  readonly read: (value: unknown) => T | undefined;
}

export function integer(minimum: number, maximum: number): OptionKind<number> {
  return {
    range: `an integer ${minimum}..${maximum}`,
    read: (value) => {
      const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number)) return undefined;
      return number >= minimum && number <= maximum ? number : undefined;
    },
  };
}

export function oneOf<const V extends string>(values: readonly V[]): OptionKind<V> {
  return {
    range: `one of ${values.join(', ')}`,
    read: (value) => values.find((known) => known === value),
  };
}

export const flag: OptionKind<boolean> = {
  range: 'true or false',
  read: (value) => {
    if (value === true || value === 'true' || value === '1') return true;
    return value === false || value === 'false' || value === '0' ? false : undefined;
  },
};

export const path: OptionKind<string> = {
  range: 'a path',
  read: (value) =>
    typeof value === 'string' && value !== '' && value.length <= 4096 && !value.includes('\0')
      ? value
      : undefined,
};

export const host: OptionKind<string> = {
  range: 'a host name or address',
  read: (value) => (typeof value === 'string' && /^[A-Za-z0-9_.:%-]{1,255}$/.test(value) ? value : undefined),
};

/** For options that have no fixed default: not set is null. */
export function nullable<T>(kind: OptionKind<T>): OptionKind<T | null> {
  return kind;
}

export type StoreChoice =
  | { readonly engine: 'memory' }
  /** path null: inside the process' memory, gone at its end. */
  | { readonly engine: 'sqlite'; readonly path: string | null };

export const store: OptionKind<StoreChoice> = {
  range: 'sqlite:PATH, sqlite::memory: or memory:',
  redact: (text) =>
    text.replace(/(:\/\/).*@/s, '$1***@').replace(/([?&][^=]*(?:pass|secret|key)[^=]*=)[^&]*/gi, '$1***'),
  read: (value) => {
    if (value === 'memory:') return { engine: 'memory' };
    if (value === 'sqlite::memory:') return { engine: 'sqlite', path: null };
    if (typeof value !== 'string' || !value.startsWith('sqlite:')) return undefined;
    const file = path.read(value.slice('sqlite:'.length));
    return file === undefined || file.startsWith('//') ? undefined : { engine: 'sqlite', path: file };
  },
};
