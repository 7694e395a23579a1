// The writer thread: opens the store, then runs group after group. Nothing else touches the database.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { FromThread, ToThread } from './channel.ts';
import { toFailure } from './failures.ts';
import { type GroupReply, type Request, runGroup } from './group.ts';
import { type OpenDatabase, openDatabase } from './open-store.ts';
import type { SqliteConfig } from './options.ts';
import { SqliteStore } from './sqlite-store.ts';

const port = parentPort;
if (port === null) throw new Error('thread.ts runs in a worker thread only');
const send = (message: FromThread): void => port.postMessage(message);

try {
  const config = workerData as SqliteConfig;
  const open = await openDatabase(config);
  serve(new SqliteStore(open.db, config), open);
  send({ opened: null });
} catch (error) {
  send({ opened: toFailure(error) });
  port.close();
}

function serve(store: SqliteStore, { close }: OpenDatabase): void {
  port?.on('message', (first: ToThread) => {
    const groups = [first, ...arrived()];
    const ours = groups.filter((group) => group !== null);
    if (ours.length > 0) answer(runGroup(store, ours.flat()), ours);
    if (groups.length > ours.length) {
      close();
      port?.close();
    }
  });
}

/** Groups that came while the last transaction ran go into this one too. */
function arrived(): ToThread[] {
  const groups: ToThread[] = [];
  for (;;) {
    const next = port && receiveMessageOnPort(port);
    if (!next) return groups;
    groups.push(next.message as ToThread);
  }
}

/** The news of the common transaction goes out with its first group. */
function answer({ replies, news }: GroupReply, groups: readonly (readonly Request[])[]): void {
  let from = 0;
  groups.forEach((group, i) => {
    const part = replies.slice(from, from + group.length);
    from += group.length;
    send({ replies: part, news: i === 0 ? news : { events: [], woken: [] } });
  });
}
