// Every engine has its harness: a folder in src/engines without a conformance test fails here.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ENGINES = fileURLToPath(new URL('../../src/engines', import.meta.url));

/** Engines whose folder has no test that runs the suite over the engine of that very folder. */
function withoutHarness(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !runsTheSuite(join(folder, name, 'conformance.test.ts')));
}

function runsTheSuite(file: string): boolean {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return false;
  }
  return (
    /^import \{[^}]*\bconformance\b[^}]*\} from '(\.\.\/)+conformance\/index\.ts';$/m.test(text) &&
    /^conformance\($/m.test(text.replaceAll(/^conformance\(.+$/gm, 'conformance(')) &&
    /from '\.\/index\.ts';$/m.test(text) &&
    !/\b(describe|it)\.(skip|only|todo)\b/.test(text)
  );
}

describe('engines and their harnesses', () => {
  it('every folder of src/engines runs the suite', () => {
    expect(withoutHarness(ENGINES)).toEqual([]);
    expect(readdirSync(ENGINES)).toContain('memory');
  });

  it('finds a folder without one, and one that does not call the suite', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-engines-'));
    try {
      const sound = readFileSync(join(ENGINES, 'memory', 'conformance.test.ts'), 'utf8');
      const planted = {
        sound,
        silent: sound.replaceAll(/^conformance\(/gm, 'void ('),
        skipping: `${sound}\ndescribe.skip('later', () => {});\n`,
        missing: null,
      };
      for (const [name, text] of Object.entries(planted)) {
        mkdirSync(join(folder, name));
        if (text !== null) writeFileSync(join(folder, name, 'conformance.test.ts'), text);
      }
      expect(withoutHarness(folder).sort()).toEqual(['missing', 'silent', 'skipping']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
