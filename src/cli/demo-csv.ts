// The CSV file that `sluice demo` imports: made row by row from a seed, so that every machine makes the same bytes
// and the sums that an import must come to are known beforehand.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const DEMO_CSV_ROWS = 150_000;
const FLUSH_CHARACTERS = 256 * 1024;

const HEADER = 'order_id,customer,city,amount,quantity,note\r\n';
const NAMES = [
  'Ada Lovelace',
  'Grace Hopper',
  'Željko Ilić',
  'Søren Østergård',
  'Li Na',
  'José Peña',
  'Zoë Brontë',
];
const CITIES = ['Lisbon', 'Zürich', 'Kraków', 'São Paulo', 'Osaka', 'Reykjavík', 'Nairobi', 'Montréal'];
/** Written as they stand in the file: plain, quoted for a comma, for quotes and for a line break. */
const NOTES = [
  '',
  'gift',
  'express',
  '"leave at door, ring twice"',
  '"marked ""fragile"""',
  '"two boxes\r\none label"',
];

export interface DemoCsv {
  readonly rows: number;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Exact: what an import must give as the sum of `quantity`. */
  readonly quantitySum: number;
}

export interface DemoCsvOptions {
  /** Data rows, >= 0; the default of 150,000 makes about 8.6 MiB. */
  readonly rows?: number;
  /** An unsigned 32-bit integer; the same seed makes the same bytes. */
  readonly seed?: number;
}

/** Writes the file at `path`, in constant memory; what stood there before is gone. */
export async function writeDemoCsv(path: string, options: DemoCsvOptions = {}): Promise<DemoCsv> {
  const { rows = DEMO_CSV_ROWS, seed = 1 } = options;
  const random = randomSource(seed);
  const hash = createHash('sha256');
  let bytes = 0;
  let quantitySum = 0;
  const file = await open(path, 'w', 0o600);
  try {
    const write = async (text: string): Promise<void> => {
      const block = Buffer.from(text);
      hash.update(block);
      bytes += block.length;
      await file.writeFile(block);
    };
    let text = HEADER;
    for (let id = 1; id <= rows; id++) {
      const quantity = 1 + random(12);
      quantitySum += quantity;
      text += row(id, quantity, random);
      if (text.length < FLUSH_CHARACTERS) continue;
      await write(text);
      text = '';
    }
    await write(text);
  } finally {
    await file.close();
  }
  return { rows, bytes, sha256: hash.digest('hex'), quantitySum };
}

/** An integer in 0..below-1. */
type Random = (below: number) => number;

function row(id: number, quantity: number, random: Random): string {
  const customer = `${pick(NAMES, random)} ${random(100_000)}`;
  const amount = `${random(100_000)}.${String(random(100)).padStart(2, '0')}`;
  return `${id},${customer},${pick(CITIES, random)},${amount},${quantity},${pick(NOTES, random)}\r\n`;
}

function pick(values: readonly string[], random: Random): string {
  return values[random(values.length)] as string;
}

/** mulberry32: small, fast, good enough for a sample, and the same on every machine. */
function randomSource(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000) * below);
  };
}
