import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../test/seed.ts';
import { IndexedHeap } from './heap.ts';

interface Item {
  key: number;
}

const anyStep = fc.record({
  act: fc.constantFrom('add', 'remove', 'update', 'pop'),
  at: fc.nat(50),
  key: fc.nat(20),
});

describe('IndexedHeap', () => {
  it('always has the smallest item on top, whatever joins, changes and leaves', () => {
    holds(
      fc.property(fc.array(anyStep, { maxLength: 200 }), (steps) => {
        const heap = new IndexedHeap<Item>((a, b) => a.key < b.key);
        const model: Item[] = [];
        for (const { act, at, key } of steps) {
          const chosen = act === 'pop' ? heap.peek() : model[at % Math.max(1, model.length)];
          if (act === 'add') {
            const item = { key };
            model.push(item);
            heap.add(item);
          } else if (chosen && act === 'update') {
            chosen.key = key;
            heap.update(chosen);
          } else if (chosen) {
            model.splice(model.indexOf(chosen), 1);
            heap.remove(chosen);
            expect(heap.has(chosen)).toBe(false);
          }
          expect(heap.size).toBe(model.length);
          expect(heap.peek()?.key).toBe(
            model.length === 0 ? undefined : Math.min(...model.map((m) => m.key)),
          );
        }
      }),
      500,
    );
  });

  it('ignores what is not in it', () => {
    const heap = new IndexedHeap<Item>((a, b) => a.key < b.key);
    heap.add({ key: 1 });
    heap.remove({ key: 1 });
    heap.update({ key: 1 });
    expect(heap.size).toBe(1);
    heap.clear();
    expect(heap.peek()).toBeUndefined();
  });
});
