// The registry of workers and the audit trail.
import assert from 'node:assert/strict';
import type { AuditEntry, WorkerBeat } from '../../engine/records.ts';
import { chapter } from '../frame.ts';
import { pages, START } from '../lab.ts';

const BEAT: WorkerBeat = {
  workerId: 'w1',
  status: 'ready',
  slots: 4,
  running: 1,
  cpu: 0.25,
  loopDelayMs: 1.5,
  version: '0.1.0',
  queues: ['a', 'b'],
  types: ['csv-import', 'echo'],
};

const entry = (n: number): AuditEntry => ({
  at: START - n,
  principal: 'key-1',
  action: 'queue.pause',
  queue: n % 2 === 0 ? 'q' : null,
  target: `target ${n}`,
  details: { n, nested: { list: [1, 'two', null] } },
});

export const workers = chapter('workers', (test) => {
  test('a beat is kept as it came, with its times', {}, async (lab) => {
    await lab.engine.workers.beat(BEAT, lab.call);
    lab.advance(5_000);
    const second = { ...BEAT, status: 'busy', running: 4, cpu: null, loopDelayMs: null, types: [] } as const;
    await lab.engine.workers.beat(second, lab.call);
    assert.deepEqual(await lab.engine.workers.list(lab.call), [
      { ...second, startedAt: START, lastBeatAt: START + 5_000 },
    ]);
  });

  test('listed by worker id', {}, async (lab) => {
    for (const workerId of ['w10', 'w2', 'W', 'a']) {
      await lab.engine.workers.beat({ ...BEAT, workerId }, lab.call);
    }
    const found = await lab.engine.workers.list(lab.call);
    assert.deepEqual(
      found.map(({ workerId }) => workerId),
      ['W', 'a', 'w10', 'w2'],
    );
  });

  test('a worker that starts again under its id starts anew', {}, async (lab) => {
    const { engine } = lab;
    await engine.workers.beat({ ...BEAT, status: 'starting' }, lab.call);
    lab.advance(100);
    await engine.workers.beat({ ...BEAT, status: 'starting' }, lab.call);
    assert.equal((await engine.workers.list(lab.call))[0]?.startedAt, START);
    await engine.workers.beat({ ...BEAT, status: 'ready' }, lab.call);
    lab.advance(100);
    await engine.workers.beat({ ...BEAT, status: 'starting' }, lab.call);
    assert.equal((await engine.workers.list(lab.call))[0]?.startedAt, START + 200);
  });

  test('a silent worker is forgotten after a day', {}, async (lab) => {
    await lab.engine.workers.beat({ ...BEAT, workerId: 'silent' }, lab.call);
    lab.advance(1);
    await lab.engine.workers.beat({ ...BEAT, workerId: 'alive' }, lab.call);
    lab.advance(86_400_000 - 1);
    await lab.prune();
    const found = await lab.engine.workers.list(lab.call);
    assert.deepEqual(
      found.map(({ workerId }) => workerId),
      ['alive'],
    );
  });
});

export const audit = chapter('audit', (test) => {
  test('entries come back as they were, the last appended first', {}, async (lab) => {
    await lab.engine.audit.append([entry(1), entry(2)], lab.call);
    await lab.engine.audit.append([entry(3)], lab.call);
    const found = await pages((cursor) => lab.engine.audit.list({ limit: 2, cursor }, lab.call));
    assert.deepEqual(found, [entry(3), entry(2), entry(1)]);
  });

  test('pages stay right while entries are added', {}, async (lab) => {
    await lab.engine.audit.append([entry(1), entry(2), entry(3), entry(4)], lab.call);
    const first = await lab.engine.audit.list({ limit: 2, cursor: null }, lab.call);
    await lab.engine.audit.append([entry(5)], lab.call);
    const rest = await pages((cursor) =>
      lab.engine.audit.list({ limit: 2, cursor: cursor ?? first.next }, lab.call),
    );
    assert.deepEqual([...first.items, ...rest], [entry(4), entry(3), entry(2), entry(1)]);
  });

  test('the newest ten thousand are kept', {}, async (lab) => {
    for (let i = 0; i < 11; i += 1) {
      const some = Array.from({ length: 1_000 }, (_, j) => entry(i * 1_000 + j));
      await lab.engine.audit.append(some, lab.call);
    }
    await lab.prune();
    const found = await pages((cursor) => lab.engine.audit.list({ limit: 200, cursor }, lab.call));
    assert.equal(found.length, 10_000);
    assert.deepEqual([found[0], found.at(-1)], [entry(10_999), entry(1_000)]);
  });
});
