// A process that owns a store and is killed. `hold`: opens and waits. `work`: submits, reserves and settles until then,
// telling each answer before it asks the next.
import { sqliteEngine } from '../../src/engines/sqlite/index.ts';
import { newTask } from '../support/new-task.ts';
import { reserve, SETTINGS, succeeded } from './work.ts';

const [file = '', how] = process.argv.slice(2);
const engine = sqliteEngine({ file, defaults: SETTINGS });
await engine.open();
process.send?.('open');
if (how === 'work') {
  for (let round = 0; ; round += 1) {
    const at = Date.now();
    const call = { at, principal: 'anonymous' };
    const batch = Array.from({ length: 1 + (round % 7) }, (_, i) => {
      const key = i === 0 ? { idempotencyKey: `k${round}`, fingerprint: 'f', keyHeldUntil: at + 60_000 } : {};
      return newTask(at, {
        tenant: `t${i % 3}`,
        priority: (round + i) % 10,
        ttlMs: i === 1 ? 60_000 : null,
        ...key,
      });
    });
    const [results, leases] = await Promise.all([
      engine.submit(batch, call),
      reserve(engine, 1 + (round % 4), at),
    ]);
    const accepted = results.flatMap((result) => (result.outcome === 'created' ? result.id : []));
    const settlements = leases.slice(0, 3).map(succeeded);
    const settled = await engine.settle(settlements, call);
    const done = settlements.flatMap(({ id }, i) => (settled[i]?.outcome === 'settled' ? id : []));
    process.send?.({ accepted, done });
  }
}
