// Watch: a hint that there may be work. It may repeat and may be lost; polling is right without it.
import assert from 'node:assert/strict';
import { chapter } from '../frame.ts';
import { eventually, type Lab, START } from '../lab.ts';

/** Runs `cause` and waits for a wake that came after it began. */
async function wakes(lab: Lab, cause: () => Promise<unknown>, what: string): Promise<void> {
  let count = 0;
  const leave = await lab.engine.watch(['q'], () => {
    count += 1;
  });
  await cause();
  if (lab.engine.capabilities.watch) await eventually(() => count > 0, `a wake after ${what}`);
  await leave();
}

export const watch = chapter('watch', (test) => {
  test('wakes when work may have come', {}, async (lab) => {
    await wakes(lab, () => lab.add(), 'a submit');
    const lease = await lab.take({ leaseMs: 1_000 });
    await wakes(lab, () => lab.end(lease, { kind: 'release' }), 'a release');
    await lab.take({ leaseMs: 1_000 });
    lab.advance(1_000);
    await wakes(lab, () => lab.reapAll(), 'a lost lease');
    await lab.add({ runAt: lab.at + 10 });
    lab.advance(10);
    await wakes(lab, () => lab.promote(), 'a promotion');
    const dead = await lab.addDead({ priority: 9 });
    await wakes(lab, () => lab.engine.redrive({ ids: [dead] }, lab.call), 'a redrive');
    await lab.pause();
    await wakes(lab, () => lab.resume(), 'a resume');
    await wakes(lab, () => lab.configure({ maxRunning: 5 }), 'a change of settings');
  });

  test('wakes when a settle makes room under a ceiling', { maxRunning: 1 }, async (lab) => {
    await lab.addMany(2);
    const lease = await lab.take();
    await wakes(lab, () => lab.succeed(lease), 'a settle');
  });

  test('a watcher may ask at once', {}, async (lab) => {
    const found: number[] = [];
    const leave = await lab.engine.watch(['q'], () => {
      void lab.reserve({ max: 1 }).then((leases) => found.push(leases.length));
    });
    await lab.add();
    if (lab.engine.capabilities.watch) await eventually(() => found.includes(1), 'the task');
    await leave();
  });

  test('a watcher that left is not woken, and leaving twice is fine', {}, async (lab) => {
    let woken = 0;
    const leave = await lab.engine.watch(['q'], () => {
      woken += 1;
    });
    await leave();
    await leave();
    const events = await lab.record();
    await lab.add();
    await eventually(() => events.length > 0, 'the event');
    assert.equal(woken, 0);
  });

  test('what is not due wakes nobody before it is', {}, async (lab) => {
    await lab.add({ runAt: START + 5 });
    assert.deepEqual(await lab.reserve(), []);
    lab.advance(5);
    await wakes(lab, () => lab.promote(), 'a promotion');
    assert.equal((await lab.reserve()).length, 1);
  });
});
