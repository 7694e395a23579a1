import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { withDefaults } from './options.ts';
import { prepareDatabase } from './schema.ts';
import { selectsOf, TIME_LISTS, TimeList } from './time-list.ts';

function database() {
  const db = new Database(':memory:');
  prepareDatabase(db, withDefaults({ file: ':memory:' }));
  return db;
}

describe('the lists', () => {
  it.each(Object.entries(TIME_LISTS))('%s is read by walking an index', (_, source) => {
    const db = database();
    for (const sql of Object.values(selectsOf(source))) {
      const holes = sql.split('?').length - 1;
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(holes).fill(1)) as {
        detail: string;
      }[];
      const details = plan.map(({ detail }) => detail).join('; ');
      expect(details).toMatch(/^SEARCH \w+ USING (COVERING INDEX|PRIMARY KEY)/);
      expect(details).not.toContain('TEMP B-TREE');
    }
  });
});

describe('a list', () => {
  it('gives what is due in order, and knows its first time', () => {
    const list = new TimeList(database(), 'schedule');
    expect(list.first(1)).toBe(null);
    list.add(1, 30, 1);
    list.add(1, 10, 3);
    list.add(1, 10, 2);
    list.add(2, 5, 9);
    expect(list.first(1)).toBe(10);
    expect(list.upTo(1, 9, 10)).toEqual([]);
    expect(list.upTo(1, 30, 2)).toEqual([
      { at: 10, seq: 2 },
      { at: 10, seq: 3 },
    ]);
    list.remove(1, 10, 2);
    expect(list.first(1)).toBe(10);
    list.remove(1, 10, 3);
    expect(list.first(1)).toBe(30);
    list.remove(1, 30, 1);
    expect(list.first(1)).toBe(null);
    list.add(1, 40, 4);
    expect(list.first(1)).toBe(40);
  });

  it('forgets on demand', () => {
    const db = database();
    const list = new TimeList(db, 'dead');
    list.add(1, 10, 1);
    expect(list.first(1)).toBe(10);
    db.exec('DELETE FROM dead');
    expect(list.first(1)).toBe(10);
    list.forget();
    expect(list.first(1)).toBe(null);
  });
});
