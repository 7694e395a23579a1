// What every bench of the store needs: medians of interleaved rounds, and a head that says where the figures come from.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Report {
  readonly bench: string;
  readonly seed: number;
  readonly [more: string]: unknown;
}

export function headOf(bench: string, seed: number, packages: readonly string[]): Report {
  const versions = Object.fromEntries(packages.map((name) => [name, versionOf(name)]));
  return {
    bench,
    machine: { cpu: cpus()[0]?.model.trim() ?? 'unknown', cores: cpus().length, platform: process.platform },
    versions: { node: process.version, ...versions },
    seed,
  };
}

function versionOf(name: string): string {
  const text = readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** One thing to measure: `run` does `count` operations and answers how long they took, ms. */
export interface Subject {
  readonly name: string;
  readonly run: () => Promise<{ readonly count: number; readonly ms: number }>;
}

/** Rounds of all subjects in turn, so that a noisy minute falls on all of them alike. Microseconds per operation. */
export async function interleaved(
  subjects: readonly Subject[],
  rounds: number,
): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of subjects) {
      const { count, ms } = await run();
      all.get(name)?.push((ms * 1000) / count);
    }
  }
  return all;
}

export async function timed(run: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** A folder of its own for the length of a run. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function perSecond(us: number): number {
  return Math.round(1_000_000 / us);
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column]).length)),
  );
  return rows
    .map((row) =>
      row.map((cell, i) =>
        i === 0 ? String(cell).padEnd(widths[i] ?? 0) : String(cell).padStart(widths[i] ?? 0),
      ),
    )
    .map((cells) => cells.join('  '))
    .join('\n');
}
