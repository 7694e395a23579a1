import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { defaultSettings, namesOf, OPTION_KEYS } from './options.ts';
import { isLoopback, type OptionSources, parseOptions } from './options-parse.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

function configOf(sources: OptionSources) {
  const result = parseOptions(sources);
  if (!result.ok) throw new Error(result.errors.join('\n'));
  return result.config;
}

function errorsOf(sources: OptionSources): readonly string[] {
  const result = parseOptions(sources);
  if (result.ok) throw new Error('not refused');
  return result.errors;
}

describe('the defaults', () => {
  it('are those of the contract', () => {
    expect(configOf({})).toEqual({
      store: { engine: 'sqlite', path: './data/sluice.db' },
      files: './data/files',
      host: '127.0.0.1',
      port: 7070,
      allowAnonymous: false,
      maxQueueDepth: 10_000,
      maxPending: 100_000,
      maxPayloadBytes: 262_144,
      maxFileBytes: 10_485_760,
      maxBodyBytes: 8_388_608,
      workerConcurrency: 4,
      prefetch: 0,
      leaseMs: 30_000,
      heartbeatMs: 10_000,
      reapIntervalMs: 1_000,
      maintenanceBatch: 100,
      drainTimeoutMs: 30_000,
      retryAfterMinS: 1,
      retryAfterMaxS: 300,
      idempotencyTtlS: 86_400,
      durability: 'full',
      logLevel: 'info',
      logFormat: null,
    });
  });

  it('follow other options where they depend on them', () => {
    expect(configOf({ env: { SLUICE_LEASE_MS: '1000' } }).heartbeatMs).toBe(333);
    expect(configOf({ env: { SLUICE_LEASE_MS: '1000', SLUICE_HEARTBEAT_MS: '50' } }).heartbeatMs).toBe(50);
    const filesBy = (store: string) => configOf({ env: { SLUICE_STORE: store } }).files;
    expect(filesBy('sqlite:/var/lib/sluice/a.db')).toBe('/var/lib/sluice/files');
    expect(filesBy('sqlite:a.db')).toBe('files');
    expect(filesBy('sqlite:C:\\data\\a.db')).toBe('C:\\data\\files');
    expect(filesBy('sqlite::memory:')).toBeNull();
    expect(filesBy('memory:')).toBeNull();
    expect(configOf({ env: { SLUICE_FILES: '/f' } }).files).toBe('/f');
  });

  it('are what queues start from', () => {
    const config = configOf({ env: { SLUICE_MAX_QUEUE_DEPTH: '7', SLUICE_LEASE_MS: '500' } });
    expect(defaultSettings(config)).toEqual({ ...DEFAULT_SETTINGS, maxDepth: 7, leaseMs: 500 });
  });
});

describe('the sources', () => {
  it('win in order: flags, environment, file', () => {
    const file = { port: 1, prefetch: 1, durability: 'relaxed' };
    const env = { SLUICE_PORT: '2', SLUICE_PREFETCH: '2' };
    const config = configOf({ flags: { port: '3' }, env, file });
    expect([config.port, config.prefetch, config.durability]).toEqual([3, 2, 'relaxed']);
  });

  it('spell each option in their own way', () => {
    expect(namesOf('maxQueueDepth')).toEqual({
      env: 'SLUICE_MAX_QUEUE_DEPTH',
      flag: '--max-queue-depth',
      file: 'max_queue_depth',
    });
  });

  it('leave alone what is not theirs', () => {
    expect(
      configOf({ env: { PATH: '/bin', SLUICE_PORT: '', HOME: undefined }, flags: { json: true } }).port,
    ).toBe(7070);
  });

  it('refuse unknown names, with the one that was meant', () => {
    expect(
      errorsOf({ env: { SLUICE_PROT: '1', SLUICE_: 'x' }, file: { max_queue_dept: 1, zzz: 1 } }),
    ).toEqual([
      'SLUICE_PROT is not a setting (did you mean SLUICE_PORT?)',
      'SLUICE_ is not a setting',
      'sluice.config.json: max_queue_dept is not a setting (did you mean max_queue_depth?)',
      'sluice.config.json: zzz is not a setting',
    ]);
    expect(errorsOf({ file: JSON.parse('{"__proto__":{"port":1}}') })).toEqual([
      'sluice.config.json: __proto__ is not a setting',
    ]);
    for (const file of [null, [], 'a', 5])
      expect(errorsOf({ file })).toEqual(['sluice.config.json: expected a JSON object']);
  });

  it('refuse options whose feature has not come', () => {
    expect(errorsOf({ env: { SLUICE_PG_POOL: '10', SLUICE_RATE_LIMIT: 'off' } })).toHaveLength(2);
    expect(errorsOf({ env: { SLUICE_STORE: 'postgres://localhost/x' } })).toHaveLength(1);
    expect(errorsOf({ env: { SLUICE_WORKER_CONCURRENCY: 'auto' } })).toHaveLength(1);
  });
});

describe('values', () => {
  it('are refused in one line with setting, value and range', () => {
    expect(errorsOf({ env: { SLUICE_PORT: '70000' } })).toEqual([
      'SLUICE_PORT is "70000", expected an integer 0..65535',
    ]);
    expect(errorsOf({ flags: { leaseMs: true } })).toEqual([
      '--lease-ms is true, expected an integer 100..86400000',
    ]);
    expect(errorsOf({ file: { durability: 'none' } })).toEqual([
      'durability (sluice.config.json) is "none", expected one of full, relaxed',
    ]);
  });

  it('are all told at once', () => {
    expect(
      errorsOf({ env: { SLUICE_PORT: 'x', SLUICE_PREFETCH: '33', SLUICE_LOG_LEVEL: 'loud' } }),
    ).toHaveLength(3);
  });

  it.each([
    '',
    ' 5',
    '5 ',
    '5.0',
    '0x10',
    '1e3',
    '+5',
    'NaN',
    'Infinity',
    '99999999999999999999',
    null,
    [],
    {},
    5.5,
    -1,
  ])('an integer is not %j', (value) => {
    expect(errorsOf({ file: { port: value } })).toHaveLength(1);
  });

  it.each([
    ['true', true],
    ['1', true],
    [true, true],
    ['false', false],
    ['0', false],
  ])('a flag of %j is %s', (value, expected) => {
    expect(configOf({ flags: { allowAnonymous: value } }).allowAnonymous).toBe(expected);
  });

  it.each(['yes', 'TRUE', 1, null])('a flag is not %j', (value) => {
    expect(errorsOf({ flags: { allowAnonymous: value } })).toHaveLength(1);
  });

  it.each([
    ['memory:', { engine: 'memory' }],
    ['sqlite::memory:', { engine: 'sqlite', path: null }],
    ['sqlite:/d/a.db', { engine: 'sqlite', path: '/d/a.db' }],
    ['sqlite:a b?c.db', { engine: 'sqlite', path: 'a b?c.db' }],
  ])('the store %s is read', (value, store) => {
    expect(configOf({ env: { SLUICE_STORE: value } }).store).toEqual(store);
  });

  it.each(['sqlite:', 'sqlite://a', 'sqlite:a\0', 'SQLITE:a', '/d/a.db', 'memory', 'memory:x', 'file:a'])(
    'the store %j is refused',
    (value) => {
      expect(errorsOf({ env: { SLUICE_STORE: value } })).toHaveLength(1);
    },
  );

  it('never show a password, and stay on one short line', () => {
    for (const store of [
      'redis://user:hunter2@host:6379/0',
      'postgres://u:p%40/hunter2@@host/db?sslmode=x',
      'postgres://host/db?user=u&password=hunter2&broker=amqp://a:hunter2@b',
    ]) {
      const [line] = errorsOf({ env: { SLUICE_STORE: store } });
      expect(line).not.toContain('hunter2');
      expect(line).toContain('SLUICE_STORE');
    }
    const [line] = errorsOf({ env: { SLUICE_PORT: `1\n2\u202e\u001b[31m${'x'.repeat(1e5)}` } });
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(line?.length).toBeLessThan(200);
  });
});

describe('values together', () => {
  it('keep anonymous callers on loopback', () => {
    expect(errorsOf({ env: { SLUICE_HOST: '0.0.0.0' } })).toEqual([
      'SLUICE_HOST is "0.0.0.0", expected a loopback address, or --allow-anonymous',
    ]);
    expect(errorsOf({ flags: { host: '::' } })).toEqual([
      '--host is "::", expected a loopback address, or --allow-anonymous',
    ]);
    expect(configOf({ env: { SLUICE_HOST: '0.0.0.0' }, flags: { allowAnonymous: true } }).host).toBe(
      '0.0.0.0',
    );
    expect(['127.0.0.1', '127.8.0.1', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(
      ['::', '0.0.0.0', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '1270.0.0.1'].some(
        isLoopback,
      ),
    ).toBe(false);
  });

  it.each([
    [{ SLUICE_LEASE_MS: '1000', SLUICE_HEARTBEAT_MS: '1000' }, 'SLUICE_HEARTBEAT_MS'],
    [{ SLUICE_RETRY_AFTER_MIN_S: '10', SLUICE_RETRY_AFTER_MAX_S: '9' }, 'SLUICE_RETRY_AFTER_MIN_S'],
    [{ SLUICE_MAX_PAYLOAD_BYTES: '2000', SLUICE_MAX_BODY_BYTES: '1999' }, 'SLUICE_MAX_PAYLOAD_BYTES'],
  ])('%j is refused', (env, name) => {
    expect(errorsOf({ env })).toEqual([expect.stringContaining(name)]);
  });
});

describe('any sources', () => {
  it('are answered, never thrown at', () => {
    const keys = OPTION_KEYS.map(namesOf);
    const anyEnv = fc.dictionary(fc.constantFrom(...keys.map(({ env }) => env)), fc.string());
    const anyFile = fc.dictionary(fc.constantFrom(...keys.map(({ file }) => file)), fc.jsonValue());
    holds(
      fc.property(anyEnv, anyFile, (env, file) => {
        const result = parseOptions({ env, file });
        if (!result.ok) for (const line of result.errors) expect(line).not.toMatch(/[\r\n]/);
      }),
      500,
    );
  });
});
