// kill -9 in the middle of work: what was answered is there, what was not is whole or absent, and the counters are right.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { recount } from '../../src/engines/sqlite/recount.ts';
import { folder, openHere } from './house.ts';
import { CALL } from './work.ts';

const KILLS = 6;

it('kill -9 loses nothing that was answered, and the counters equal a recount', async () => {
  const file = join(folder(), 'sluice.db');
  const accepted = new Set<string>();
  const done = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), [file, 'work']);
    let answers = 0;
    child.on('message', (message: 'open' | { accepted: string[]; done: string[] }) => {
      if (message === 'open') return;
      for (const id of message.accepted) accepted.add(id);
      for (const id of message.done) done.add(id);
      answers += 1;
      if (answers > 20 + 17 * kill) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    const { engine, db } = await openHere({ file });
    expect(recount(db)).toEqual([]);
    const tasks = await engine.get([...accepted], CALL);
    expect(tasks.every((task) => task !== null)).toBe(true);
    const ends = await engine.get([...done], CALL);
    expect(ends.every((task) => task?.status === 'succeeded')).toBe(true);
    await engine.close();
  }
  expect(accepted.size).toBeGreaterThan(100);
  expect(done.size).toBeGreaterThan(50);
});
