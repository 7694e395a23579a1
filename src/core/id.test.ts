import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { createdAtOf, homeOf, idMaker, isTaskId, MAX_QUEUES, stampHome } from './id.ts';

const NOW = 1_750_000_000_000;
const filled = (byte: number) => (into: Uint8Array) => void into.fill(byte);
const anyHome = fc.record({ queueNumber: fc.nat(MAX_QUEUES - 1), shard: fc.nat(255) });

describe('idMaker', () => {
  it('makes UUIDs of version 7 and the RFC variant, whatever the random bytes', () => {
    for (const byte of [0x00, 0x7f, 0xff]) {
      const id = idMaker(filled(byte))(NOW);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{6}000000$/);
      expect(isTaskId(id)).toBe(true);
    }
  });

  it('carries the time of creation', () => {
    expect(createdAtOf(idMaker(filled(1))(NOW))).toBe(NOW);
    expect(createdAtOf(idMaker(filled(1))(NOW + 0.75))).toBe(NOW);
  });

  it('rises strictly, whatever the clock does', () => {
    holds(
      fc.property(
        fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 2, maxLength: 300 }),
        (steps) => {
          const make = idMaker(filled(0x5a));
          let at = NOW;
          let last = '';
          for (const step of steps) {
            at += step;
            const id = make(at);
            expect(id > last).toBe(true);
            last = id;
          }
        },
      ),
    );
  });

  it('goes on into the next millisecond when one is used up', () => {
    const make = idMaker(filled(0));
    const ids = Array.from({ length: 10_000 }, () => make(NOW));
    expect(new Set(ids).size).toBe(10_000);
    expect(ids).toEqual([...ids].sort());
    expect(createdAtOf(ids.at(-1) ?? '')).toBe(NOW + 2);
  });
});

describe('home', () => {
  it('comes back as it was stamped, and changes nothing else', () => {
    holds(
      fc.property(anyHome, fc.nat(1e6), (home, later) => {
        const id = idMaker(filled(3))(NOW + later);
        const stamped = stampHome(id, home);
        expect(homeOf(stamped)).toEqual(home);
        expect(isTaskId(stamped)).toBe(true);
        expect(createdAtOf(stamped)).toBe(NOW + later);
        expect(stampHome(stamped, { queueNumber: 0, shard: 0 })).toBe(id);
      }),
    );
  });

  it('never outweighs the order of creation', () => {
    holds(
      fc.property(anyHome, anyHome, (first, second) => {
        const make = idMaker(filled(9));
        expect(stampHome(make(NOW), first) < stampHome(make(NOW), second)).toBe(true);
      }),
    );
  });
});

describe('isTaskId', () => {
  it('refuses what Sluice cannot have made', () => {
    const id = idMaker(filled(0))(NOW);
    for (const odd of [
      '',
      id.toUpperCase().replace('7', '4'),
      `${id} `,
      `${id}\n`,
      id.slice(1),
      '../../etc/passwd',
    ]) {
      expect(isTaskId(odd)).toBe(false);
    }
  });
});
