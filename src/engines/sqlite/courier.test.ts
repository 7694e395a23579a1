// Grouping, order and loss, over a channel that the test answers by hand.
import { describe, expect, it } from 'vitest';
import type { Channel } from './channel.ts';
import { Courier } from './courier.ts';
import type { GroupReply, Request } from './group.ts';

const CALL = { at: 1, principal: 'anonymous' };
const turn = () => new Promise((resolve) => setImmediate(resolve));

class ByHand implements Channel {
  readonly groups: { readonly requests: readonly Request[]; answer(reply?: Partial<GroupReply>): void }[] =
    [];
  #lost: (why: Error) => void = () => undefined;
  readonly #broken: ((why: Error) => void)[] = [];
  closed = 0;

  async open(lost: (why: Error) => void): Promise<void> {
    this.#lost = lost;
  }

  send(requests: readonly Request[]): Promise<GroupReply> {
    return new Promise((resolve, reject) => {
      this.#broken.push(reject);
      const replies = requests.map(({ input }) => ({ ok: input }));
      const none = { replies, news: { events: [], woken: [] } };
      this.groups.push({ requests, answer: (reply = {}) => resolve({ ...none, ...reply }) });
    });
  }

  async close(): Promise<void> {
    this.closed += 1;
  }

  lose(): void {
    const why = new Error('gone');
    for (const reject of this.#broken) reject(why);
    this.#lost(why);
  }
}

async function opened() {
  const channel = new ByHand();
  const news: unknown[] = [];
  const courier = new Courier(channel, (some) => news.push(some));
  await courier.open();
  const promote = (limit: number) => courier.call('promote', limit, CALL);
  return { channel, courier, news, promote };
}

describe('groups', () => {
  it('are what is called in one turn, and two are under way at most', async () => {
    const { channel, promote } = await opened();
    const calls = [promote(1), promote(2)];
    await turn();
    calls.push(promote(3));
    await turn();
    calls.push(promote(4), promote(5));
    await turn();
    expect(channel.groups.map(({ requests }) => requests.map(({ input }) => input))).toEqual([[1, 2], [3]]);
    channel.groups[0]?.answer();
    await turn();
    expect(channel.groups[2]?.requests.map(({ input }) => input)).toEqual([4, 5]);
    for (const group of channel.groups) group.answer();
    expect(await Promise.all(calls)).toEqual([1, 2, 3, 4, 5]);
  });

  it('are bounded in calls and in work, but for one large call', async () => {
    const { channel, courier, promote } = await opened();
    for (let i = 0; i < 100; i += 1) void promote(i);
    await turn();
    expect(channel.groups.map(({ requests }) => requests.length)).toEqual([64, 36]);
    for (const items of [5_000, 400, 400, 400]) void courier.call('promote', items, CALL, items);
    for (const group of channel.groups.slice(0, 2)) group.answer();
    await turn();
    expect(channel.groups.slice(2).map(({ requests }) => requests.length)).toEqual([1, 2]);
  });

  it('are done also where a listener throws', async () => {
    const channel = new ByHand();
    const courier = new Courier(channel, () => {
      throw new Error('planted');
    });
    await courier.open();
    const thrown = new Promise((resolve) => process.once('uncaughtExceptionMonitor', resolve));
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', () => undefined);
    const asked = courier.call('promote', 1, CALL);
    await turn();
    channel.groups[0]?.answer();
    expect(await asked).toBe(1);
    expect(await thrown).toMatchObject({ message: 'planted' });
    for (const listener of others) process.on('uncaughtException', listener);
  });

  it('tell their news before their answers', async () => {
    const { channel, promote, news } = await opened();
    const seen: number[] = [];
    const asked = promote(1).then(() => seen.push(news.length));
    await turn();
    channel.groups[0]?.answer({ news: { events: [], woken: ['q'] } });
    await asked;
    expect(seen).toEqual([1]);
    expect(news).toEqual([{ events: [], woken: ['q'] }]);
  });

  it('refuse a single call by its own failure', async () => {
    const { channel, promote } = await opened();
    const [good, bad] = [promote(1), promote(2)];
    await turn();
    const failure = { code: 'STORE_FULL', message: 'no room', outcome: 'none', retryable: true } as const;
    channel.groups[0]?.answer({ replies: [{ ok: 7 }, { failure }] });
    await expect(bad).rejects.toMatchObject({ ...failure, name: 'EngineError' });
    expect(await good).toBe(7);
  });
});

describe('closing', () => {
  it('waits for what is under way and refuses what comes after', async () => {
    const { channel, courier, promote } = await opened();
    const last = promote(1);
    const closing = courier.close();
    expect(() => promote(2)).toThrow('not open');
    await turn();
    expect(channel.closed).toBe(0);
    channel.groups[0]?.answer();
    await closing;
    expect(await last).toBe(1);
    expect(channel.closed).toBe(1);
  });

  it('can be followed by opening again', async () => {
    const { channel, courier, promote } = await opened();
    await courier.close();
    await courier.close();
    await courier.open();
    const again = promote(3);
    await turn();
    channel.groups[0]?.answer();
    expect(await again).toBe(3);
  });
});

it('a lost thread leaves writes unknown and reads undone', async () => {
  const { channel, courier, promote } = await opened();
  const write = promote(1);
  const read = courier.call('load', ['q'], CALL);
  await turn();
  const ended = Promise.allSettled([write, read]);
  channel.lose();
  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE', outcome: 'unknown' } },
    { status: 'rejected', reason: { code: 'STORE_UNAVAILABLE', outcome: 'none' } },
  ]);
  expect(courier.isOpen).toBe(false);
  expect(() => promote(2)).toThrow("the store's thread has ended");
  await courier.open();
  const again = promote(3);
  await turn();
  channel.groups.at(-1)?.answer();
  expect(await again).toBe(3);
});
