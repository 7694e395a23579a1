// Task ids: UUIDv7 (RFC 9562) whose last 24 bits say where the task lives: queue number (16) and shard (8).
// The broker makes the first 104 bits in rising order, the engine stamps the home. Text order = creation order.
import type { Instant } from './task.ts';

export interface Home {
  /** 0..65535, given out by the store. */
  readonly queueNumber: number;
  /** 0..255 */
  readonly shard: number;
}

export const MAX_QUEUES = 65_536;
const UNHOMED_LENGTH = 30; // of the 36 characters; the last 6 are the home
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** True for the text form of an id that Sluice could have made. */
export function isTaskId(text: string): boolean {
  return ID.test(text);
}

/** Writes the home into the last 24 bits. */
export function stampHome(id: string, home: Home): string {
  return id.slice(0, UNHOMED_LENGTH) + hex(home.queueNumber, 4) + hex(home.shard, 2);
}

export function homeOf(id: string): Home {
  const tail = Number.parseInt(id.slice(UNHOMED_LENGTH), 16);
  return { queueNumber: tail >>> 8, shard: tail & 0xff };
}

/** Creation time that the id carries, ms. */
export function createdAtOf(id: string): Instant {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/**
 * Makes ids that strictly rise within this maker, also when the clock stands still or goes back
 * (RFC 9562 section 6.2, method 1: a 12-bit counter that overflows into the next millisecond).
 * @param random fills a 5-byte array with random bytes
 */
export function idMaker(random: (into: Uint8Array) => void): (at: Instant) => string {
  const bytes = new Uint8Array(5);
  let lastMs = -1;
  let counter = 0;
  return (at) => {
    const ms = Math.floor(at);
    if (ms > lastMs) {
      lastMs = ms;
      counter = 0;
    } else {
      counter += 1;
      if (counter > 0xfff) {
        lastMs += 1;
        counter = 0;
      }
    }
    random(bytes);
    const time = hex(lastMs, 12);
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = bytes;
    const variant = hex(0x80 | (a & 0x3f), 2) + hex(b, 2);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(counter, 3)}-${variant}-${hex(c, 2)}${hex(d, 2)}${hex(e, 2)}000000`;
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
