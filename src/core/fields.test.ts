import { describe, expect, it } from 'vitest';
import {
  type Check,
  closedObject,
  decimal,
  describeIssues,
  field,
  flag,
  ISSUES_MAX,
  type Issue,
  integer,
  kindOf,
  matching,
  nullable,
  oneOf,
  optional,
  text,
} from './fields.ts';

function issuesOf(check: Check, value: unknown, path = 'x'): Issue[] {
  const issues: Issue[] = [];
  check(value, path, issues);
  return issues;
}
const passes = (given: { check: Check }, value: unknown) => issuesOf(given.check, value).length === 0;

const NO_NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, '5', '', null, true, [5], {}, 5n, new Number(5)];

describe('single fields', () => {
  it('integer takes integers of its range alone', () => {
    const priority = integer(0, 9, '');
    expect([0, 5, 9, -0].every((value) => passes(priority, value))).toBe(true);
    for (const odd of [-1, 10, 1.5, 2 ** 53, -(2 ** 63), JSON.parse('1e309'), ...NO_NUMBERS]) {
      expect(issuesOf(priority.check, odd)).toEqual([{ path: 'x', rule: 'integer 0..9', kind: kindOf(odd) }]);
    }
  });

  it('decimal takes finite numbers of its range alone', () => {
    const share = decimal(0, 1, '');
    expect([0, 0.5, 1].every((value) => passes(share, value))).toBe(true);
    for (const odd of [-1e-9, 1.000001, ...NO_NUMBERS]) expect(passes(share, odd)).toBe(false);
  });

  it('flag takes booleans alone', () => {
    expect([true, false].every((value) => passes(flag(''), value))).toBe(true);
    for (const odd of [0, 1, 'true', null]) expect(passes(flag(''), odd)).toBe(false);
  });

  it('matching looks at the whole string', () => {
    const name = matching(/^[a-z]+$/, '');
    expect(passes(name, 'abc')).toBe(true);
    for (const odd of ['abc\n', 'Abc', '', 5, ['abc'], null]) expect(passes(name, odd)).toBe(false);
  });

  it('oneOf takes its words', () => {
    const level = oneOf(['full', 'relaxed'], '');
    expect(passes(level, 'full')).toBe(true);
    for (const odd of ['Full', 'toString', 0, null]) expect(passes(level, odd)).toBe(false);
  });

  it('text counts bytes, not characters, and refuses what a store could not give back', () => {
    const tenant = text(1, 8, '');
    for (const fine of ['a', 'aaaaaaaa', '\u20ac\u20acaa', '\ud83d\ude00\ud83d\ude00', 'a\u0001']) {
      expect(passes(tenant, fine)).toBe(true);
    }
    for (const odd of ['', 'aaaaaaaaa', '\u20ac\u20ac\u20ac', 'a\0', '\ud83d', 5, null]) {
      expect(passes(tenant, odd)).toBe(false);
    }
  });

  it('nullable takes null as well', () => {
    expect(passes(nullable(flag('')), null)).toBe(true);
    expect(passes(nullable(flag('')), undefined)).toBe(false);
  });
});

describe('closedObject', () => {
  const inner = closedObject({ base_ms: integer(0, 10, '') }, '');
  const outer = closedObject(
    { type: matching(/^[a-z]+$/, ''), retry: optional(inner), priority: optional(integer(0, 9, '')) },
    '',
    ['status'],
  );

  it('passes what fits, and takes undefined as absent', () => {
    expect(issuesOf(outer.check, { type: 'a', retry: { base_ms: 1 }, priority: undefined }, '')).toEqual([]);
  });

  it('names every broken rule by its path, without the values', () => {
    const body = { retry: { base_ms: 'secret', other: 'secret' }, priorty: 'secret', status: 'secret' };
    expect(issuesOf(outer.check, body, '')).toEqual([
      { path: 'retry.base_ms', rule: 'integer 0..10', kind: 'string' },
      { path: 'retry.other', rule: 'unknown field', kind: 'string' },
      { path: 'priorty', rule: 'unknown field', kind: 'string', did_you_mean: 'priority' },
      { path: 'status', rule: 'read-only: the server sets it', kind: 'string' },
      { path: 'type', rule: 'required', kind: 'missing' },
    ]);
  });

  it('refuses what is no object', () => {
    for (const odd of [null, [], 'a', 5, undefined]) {
      expect(issuesOf(outer.check, odd, '')).toEqual([{ path: '', rule: 'object', kind: kindOf(odd) }]);
    }
  });

  it('knows inherited names as unknown ones', () => {
    const body = JSON.parse('{"type":"a","__proto__":1,"constructor":1,"toString":1,"hasOwnProperty":1}');
    expect(issuesOf(outer.check, body, '').map(({ path, rule }) => [path, rule])).toEqual(
      ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => [name, 'unknown field']),
    );
    expect(issuesOf(outer.check, Object.create({ type: 'a' }), '')).toEqual([
      { path: 'type', rule: 'required', kind: 'missing' },
    ]);
  });

  it('answers a hostile body shortly', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]));
    expect(issuesOf(outer.check, many, '')).toHaveLength(ISSUES_MAX);
    const [long] = issuesOf(outer.check, { ['x'.repeat(1e6)]: 1 }, '');
    expect(long?.path).toBe(`${'x'.repeat(64)}...`);
  });

  it('shows the same rules as JSON Schema', () => {
    expect(JSON.parse(JSON.stringify(outer.schema))).toEqual({
      type: 'object',
      additionalProperties: false,
      description: '',
      required: ['type'],
      properties: {
        type: { type: 'string', pattern: '^[a-z]+$', description: '' },
        retry: {
          type: 'object',
          additionalProperties: false,
          description: '',
          required: ['base_ms'],
          properties: { base_ms: { type: 'integer', minimum: 0, maximum: 10, description: '' } },
        },
        priority: { type: 'integer', minimum: 0, maximum: 9, description: '' },
      },
    });
  });
});

describe('describeIssues', () => {
  it('is one sentence of the first, and counts the others', () => {
    const issue: Issue = { path: 'priorty', rule: 'unknown field', kind: 'number', did_you_mean: 'priority' };
    expect(describeIssues([issue])).toBe('priorty: unknown field (came: number, did you mean priority?)');
    const body: Issue = { path: '', rule: 'object', kind: 'array' };
    expect(describeIssues([body, issue, issue])).toBe('the body: object (came: array), and 2 more');
    expect(describeIssues([])).toBe('no issue');
  });
});

describe('kindOf', () => {
  it('names kinds as JSON does', () => {
    const kinds = [undefined, null, true, 1, 'a', [], {}, 1n].map(kindOf);
    expect(kinds).toEqual(['missing', 'null', 'boolean', 'number', 'string', 'array', 'object', 'other']);
    expect(field({}, 'never', () => false).rule).toBe('never');
  });
});
