import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { parseTask, type TaskInputContext } from './task-input.ts';
import { DELAY_MS_MAX, METADATA_BYTES_MAX, TTL_MS_MAX } from './task-schema.ts';

const NOW = Date.parse('2026-02-01T12:00:00Z');
const CONTEXT: TaskInputContext = { at: NOW, payloadBytesMax: 262_144 };

function taskOf(body: unknown, context: Partial<TaskInputContext> = {}) {
  const result = parseTask(body, { ...CONTEXT, ...context });
  if (!result.ok) throw new Error(`refused: ${result.problem.message}`);
  return result.task;
}

function refusalOf(body: unknown, context: Partial<TaskInputContext> = {}) {
  const result = parseTask(body, { ...CONTEXT, ...context });
  if (result.ok) throw new Error('not refused');
  return result.problem;
}

/** [path, rule] of each issue of an INVALID_TASK. */
function issuesOf(body: unknown) {
  const { code, details } = refusalOf(body);
  expect(code).toBe('INVALID_TASK');
  return (details.issues as { path: string; rule: string }[]).map(({ path, rule }) => [path, rule]);
}
const refusedAt = (body: object) => issuesOf({ type: 'echo', ...body }).map(([path]) => path);

describe('a task with nothing but its type', () => {
  it('gets every default', () => {
    expect(taskOf({ type: 'echo' })).toEqual({
      queue: 'default',
      type: 'echo',
      payload: '{}',
      metadata: '{}',
      bytes: 4,
      priority: 5,
      tenant: '',
      idempotencyKey: null,
      ttlMs: null,
      maxAttempts: 5,
      timeoutMs: 30_000,
      retry: null,
      traceparent: null,
      tracestate: null,
      runAt: null,
    });
  });
});

describe('a full task', () => {
  it('keeps every field as sent', () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const body = {
      queue: 'e-mails.eu_1',
      type: 'send:mail',
      payload: [1, 'zwei', { drei: null }],
      metadata: { from: '\u20ac' },
      priority: 0,
      tenant: 'K\u00e4se',
      idempotency_key: 'k',
      delay_ms: 10,
      ttl_ms: 11,
      max_attempts: 1,
      timeout_ms: 86_400_000,
      retry: { base_ms: 0, multiplier: 1, max_ms: 0, jitter: 0 },
      traceparent,
      tracestate: 'a=b',
    };
    expect(taskOf(body)).toEqual({
      queue: 'e-mails.eu_1',
      type: 'send:mail',
      payload: '[1,"zwei",{"drei":null}]',
      metadata: '{"from":"\u20ac"}',
      bytes: 24 + 14,
      priority: 0,
      tenant: 'K\u00e4se',
      idempotencyKey: 'k',
      ttlMs: 11,
      maxAttempts: 1,
      timeoutMs: 86_400_000,
      retry: { baseMs: 0, multiplier: 1, maxMs: 0, jitter: 0 },
      traceparent,
      tracestate: 'a=b',
      runAt: NOW + 10,
    });
  });

  it('lets the key of the header win', () => {
    const body = { type: 'echo', idempotency_key: 'body' };
    expect(taskOf(body, { headerKey: 'header' }).idempotencyKey).toBe('header');
    expect(taskOf(body, { headerKey: null }).idempotencyKey).toBe('body');
  });
});

describe('what is no task', () => {
  it.each([null, [], 'echo', 5, true])('%j is refused as a whole', (body) => {
    expect(issuesOf(body)).toEqual([['', 'object']]);
  });

  it('needs a type', () => {
    expect(issuesOf({})).toEqual([['type', 'required']]);
  });

  it('names unknown fields, and those of features that have not come', () => {
    expect(refusalOf({ type: 'echo', priorty: 1 }).details.issues).toEqual([
      { path: 'priorty', rule: 'unknown field', kind: 'number', did_you_mean: 'priority' },
    ]);
    expect(issuesOf({ type: 'echo', max_wait_ms: 5 })).toEqual([['max_wait_ms', 'unknown field']]);
  });

  it('may not set what the server sets', () => {
    const rule = 'read-only: the server sets it';
    expect(issuesOf({ type: 'echo', id: 'x', status: 'succeeded', attempt: 0 })).toEqual([
      ['id', rule],
      ['status', rule],
      ['attempt', rule],
    ]);
  });

  it('never shows the values', () => {
    const secret = 'hunter2';
    const body = {
      type: secret.repeat(100),
      priority: secret,
      tenant: { secret },
      metadata: secret,
      payload: JSON.parse(`${'['.repeat(40)}"${secret}"${']'.repeat(40)}`),
      retry: { base_ms: secret },
      run_at: secret,
      delay_ms: secret,
    };
    const problem = refusalOf(body);
    expect(JSON.stringify(problem)).not.toContain(secret);
    expect(problem.details.issues).toHaveLength(7);
  });
});

describe('numbers', () => {
  const fields = ['priority', 'delay_ms', 'ttl_ms', 'max_attempts', 'timeout_ms'];
  it.each(fields)('%s takes only integers, never what could become one', (name) => {
    for (const odd of [
      -1,
      -NOW - 1,
      'NaN',
      '1200',
      '5',
      null,
      true,
      1.5,
      2 ** 53 + 2,
      [],
      {},
      JSON.parse('1e309'),
    ]) {
      expect(refusedAt({ [name]: odd })).toEqual([name]);
    }
  });

  it.each([
    ['priority', 0, 9],
    ['delay_ms', 0, DELAY_MS_MAX],
    ['ttl_ms', 1, TTL_MS_MAX],
    ['max_attempts', 1, 100],
    ['timeout_ms', 1, 86_400_000],
  ])('%s goes from %d to %d', (name, least, most) => {
    for (const fine of [least, most]) expect(taskOf({ type: 'echo', [name]: fine })).toBeTruthy();
    for (const odd of [least - 1, most + 1]) expect(refusedAt({ [name]: odd })).toEqual([name]);
  });
});

describe('names', () => {
  it.each(['a', '0', 'a'.repeat(64), 'a.b_c-d'])('queue %j passes', (queue) => {
    expect(taskOf({ type: 'echo', queue }).queue).toBe(queue);
  });

  it.each([
    '',
    'A',
    '.a',
    '-a',
    'a'.repeat(65),
    'a/b',
    '..',
    '{x}',
    'a\n',
    'caf\u00e9',
    '%2e',
    'a\0',
    5,
    null,
  ])('queue %j is refused', (queue) => {
    expect(refusedAt({ queue })).toEqual(['queue']);
  });

  it.each(['', '.a', 'a'.repeat(129), 'a/b', 'a b', 'a\n', '\ud800', '__proto__', null])(
    'type %j is refused',
    (type) => {
      expect(issuesOf({ type }).map(([path]) => path)).toEqual(['type']);
    },
  );

  it('counts the bytes of tenant and key', () => {
    expect(taskOf({ type: 'echo', tenant: '\u20ac'.repeat(42) }).tenant).toHaveLength(42);
    expect(refusedAt({ tenant: '\u20ac'.repeat(43) })).toEqual(['tenant']);
    expect(taskOf({ type: 'echo', idempotency_key: 'k'.repeat(255) }).idempotencyKey).toHaveLength(255);
    for (const key of ['', 'k'.repeat(256), '\u00e9'.repeat(128)]) {
      expect(refusedAt({ idempotency_key: key })).toEqual(['idempotency_key']);
    }
  });

  it('refuses NUL and lone surrogates in them', () => {
    for (const odd of ['a\0b', '\ud83d', 'a\ude00']) {
      expect(refusedAt({ tenant: odd, idempotency_key: odd })).toEqual(['tenant', 'idempotency_key']);
    }
  });

  it('keeps both normal forms apart', () => {
    expect(taskOf({ type: 'echo', tenant: '\u00e9' }).tenant).not.toBe(
      taskOf({ type: 'echo', tenant: 'e\u0301' }).tenant,
    );
  });
});

describe('payload and metadata', () => {
  it('come back as they were sent, NUL and lone surrogates too', () => {
    const body = JSON.parse('{"type":"echo","payload":"a\\u0000\\ud800","metadata":{"\\udc00":"\\u0000"}}');
    const task = taskOf(body);
    expect(JSON.parse(task.payload)).toBe('a\0\ud800');
    expect(JSON.parse(task.metadata)).toEqual({ '\udc00': '\0' });
    expect(Buffer.from(task.payload).toString()).toBe(task.payload);
    holds(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (payload) => {
        expect(JSON.parse(taskOf({ type: 'echo', payload }).payload)).toEqual(
          JSON.parse(JSON.stringify(payload)),
        );
      }),
    );
  });

  it('may be any JSON value, and an object', () => {
    for (const payload of [null, false, 0, '', [], {}]) {
      expect(taskOf({ type: 'echo', payload }).payload).toBe(JSON.stringify(payload));
    }
    for (const metadata of [null, [], 'a', 5]) expect(refusedAt({ metadata })).toEqual(['metadata']);
  });

  it('nest at most 32 deep', () => {
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(taskOf({ type: 'echo', payload: deep(32), metadata: { a: deep(31) } })).toBeTruthy();
    expect(refusedAt({ payload: deep(33), metadata: { a: deep(32) } })).toEqual(['payload', 'metadata']);
  });

  it('refuse numbers that would silently become null', () => {
    expect(issuesOf(JSON.parse('{"type":"echo","payload":{"a":[1e309]}}'))).toEqual([
      ['payload', 'numbers within the range of a double'],
    ]);
  });

  it('keep hostile names as data', () => {
    const body = JSON.parse(
      '{"type":"echo","payload":{"__proto__":{"admin":true},"constructor":{"prototype":1}}}',
    );
    expect(taskOf(body).payload).toBe('{"__proto__":{"admin":true},"constructor":{"prototype":1}}');
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it('are bounded in bytes, at the byte', () => {
    const bytes = (count: number) =>
      '\u20ac'.repeat(Math.floor((count - 2) / 3)) + 'a'.repeat((count - 2) % 3);
    const limits = { payloadBytesMax: 100 };
    expect(taskOf({ type: 'echo', payload: bytes(100) }, limits).bytes).toBe(102);
    expect(refusalOf({ type: 'echo', payload: bytes(101) }, limits)).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { bytes: 101, limit: 100 },
    });
    const metadata = (count: number) => ({ a: bytes(count - 6) });
    expect(taskOf({ type: 'echo', metadata: metadata(METADATA_BYTES_MAX) }).bytes).toBe(
      METADATA_BYTES_MAX + 2,
    );
    expect(refusalOf({ type: 'echo', metadata: metadata(METADATA_BYTES_MAX + 1) })).toMatchObject({
      code: 'METADATA_TOO_LARGE',
      details: { bytes: METADATA_BYTES_MAX + 1, limit: METADATA_BYTES_MAX },
    });
  });
});

describe('when', () => {
  const runAt = (text: string) => taskOf({ type: 'echo', run_at: text }).runAt;

  it('is now without a delay, with one of 0, and with a time that has passed', () => {
    expect(taskOf({ type: 'echo', delay_ms: 0 }).runAt).toBeNull();
    expect(runAt('2026-02-01T12:00:00Z')).toBeNull();
    expect(runAt('0001-01-01T00:00:00Z')).toBeNull();
  });

  it('is an instant, whatever the zone', () => {
    expect(runAt('2026-02-01T13:30:00+01:00')).toBe(NOW + 1_800_000);
    expect(taskOf({ type: 'echo', delay_ms: DELAY_MS_MAX }).runAt).toBe(NOW + DELAY_MS_MAX);
  });

  it('is at most ten years ahead, leap days and all', () => {
    expect(runAt('2036-02-01T12:00:00Z')).toBe(Date.parse('2036-02-01T12:00:00Z'));
    expect(issuesOf({ type: 'echo', run_at: '2037-02-01T12:00:00Z' })).toEqual([
      ['run_at', 'at most 10 years ahead'],
    ]);
  });

  it('needs a zone', () => {
    for (const odd of ['2026-03-29T02:30:00', 'tomorrow', '', 1_800_000_000_000, null]) {
      expect(issuesOf({ type: 'echo', run_at: odd })).toEqual([['run_at', 'RFC 3339 time with a zone']]);
    }
  });

  it('is said once', () => {
    expect(issuesOf({ type: 'echo', run_at: '2026-02-02T00:00:00Z', delay_ms: 0 })).toEqual([
      ['run_at', 'only one of delay_ms and run_at'],
    ]);
  });

  it('leaves time to live', () => {
    expect(taskOf({ type: 'echo', delay_ms: 100, ttl_ms: 101 }).ttlMs).toBe(101);
    expect(refusedAt({ delay_ms: 100, ttl_ms: 100 })).toEqual(['ttl_ms']);
    expect(refusedAt({ run_at: '2026-02-01T12:00:01Z', ttl_ms: 1000 })).toEqual(['ttl_ms']);
    expect(taskOf({ type: 'echo', run_at: '2020-01-01T00:00:00Z', ttl_ms: 1 }).ttlMs).toBe(1);
  });
});

describe('retry', () => {
  const retryOf = (retry: object) => taskOf({ type: 'echo', retry }).retry;

  it('takes the defaults for what is left out', () => {
    expect(retryOf({})).toEqual({ baseMs: 1000, multiplier: 2, maxMs: 60_000, jitter: 0.2 });
    expect(retryOf({ jitter: 0 })).toMatchObject({ baseMs: 1000, jitter: 0 });
  });

  it('never cuts a base that was asked for by a bound that was not', () => {
    expect(retryOf({ base_ms: 120_000 })).toMatchObject({ baseMs: 120_000, maxMs: 120_000 });
    expect(refusedAt({ retry: { base_ms: 2000, max_ms: 1000 } })).toEqual(['retry.max_ms']);
    expect(refusedAt({ retry: { max_ms: 999 } })).toEqual(['retry.max_ms']);
  });

  it('has bounds', () => {
    expect(
      refusedAt({ retry: { base_ms: -1, multiplier: 0.5, max_ms: 1e12, jitter: 1.1, step: 1 } }),
    ).toEqual(['retry.base_ms', 'retry.multiplier', 'retry.max_ms', 'retry.jitter', 'retry.step']);
    for (const retry of [null, [], 'fast', 5]) expect(refusedAt({ retry })).toEqual(['retry']);
  });
});

describe('trace context', () => {
  it('is never a reason to refuse', () => {
    const task = taskOf({ type: 'echo', traceparent: 5, tracestate: { a: 1 } });
    expect([task.traceparent, task.tracestate]).toEqual([null, null]);
  });
});

describe('any body', () => {
  it('is answered, never thrown at', () => {
    const names = [
      'type',
      'queue',
      'payload',
      'metadata',
      'priority',
      'tenant',
      'delay_ms',
      'run_at',
      'ttl_ms',
      'retry',
    ];
    const anyValue = fc.oneof(fc.jsonValue(), fc.constantFrom('echo', 1, '2026-02-02T00:00:00Z'));
    const anyBody = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), anyValue));
    holds(
      fc.property(anyBody, (body) => {
        const result = parseTask(body, CONTEXT);
        if (!result.ok) expect(result.problem.code).toMatch(/^INVALID_TASK$|_TOO_LARGE$/);
        else expect(result.task.bytes).toBe(Buffer.byteLength(result.task.payload + result.task.metadata));
      }),
      1000,
    );
  });
});
