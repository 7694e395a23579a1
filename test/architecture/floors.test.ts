// Planted imports that go the wrong way: each is found, with its file and its rule.
import { describe, expect, it } from 'vitest';
import { findings } from './planted-tree.ts';

const HARNESS = { 'src/engines/memory/conformance.test.ts': '' };

describe('floors', () => {
  it('finds an import that goes up', async () => {
    const found = await findings('floors', {
      'src/core/a.ts': "import { b } from '../engine/b.ts';\nexport const a = b;\n",
      'src/engine/b.ts': 'export const b = 1;\n',
    });
    expect(found).toEqual([
      "src/core/a.ts:1 upward-import: core (floor 0) imports 'src/engine/b.ts' of engine (floor 1)",
    ]);
  });

  it('finds an import that goes up as a type, lazily, or by the URL of a thread', async () => {
    const found = await findings('floors', {
      'src/engine/a.ts': "import type { B } from '../broker/b.ts';\nexport type A = B;\n",
      'src/engine/b.ts': "export const b = () => import('../broker/b.ts');\n",
      'src/engine/c.ts': "export const c = new URL('../broker/b.ts', import.meta.url);\n",
      'src/engine/d.ts': "export type D = import('../broker/b.ts').B;\n",
      'src/broker/b.ts': 'export type B = 1;\n',
    });
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      'src/engine/a.ts:1 upward-import',
      'src/engine/b.ts:1 upward-import',
      'src/engine/c.ts:1 upward-import',
      'src/engine/d.ts:1 upward-import',
    ]);
  });

  it('finds an import that goes across', async () => {
    const found = await findings('floors', {
      'src/worker/a.ts': "import { b } from '../broker/b.ts';\nexport const a = b;\n",
      'src/broker/b.ts': 'export const b = 1;\n',
    });
    expect(found).toEqual([
      "src/worker/a.ts:1 sideways-import: worker (floor 3) imports 'src/broker/b.ts' of broker (floor 3)",
    ]);
  });

  it('finds an engine in another engine, and lets rabbitmq use postgres', async () => {
    const found = await findings('floors', {
      ...HARNESS,
      'src/engines/sqlite/conformance.test.ts': "import '../memory/index.ts';\n",
      'src/engines/sqlite/a.ts': "import { open } from '../memory/index.ts';\nexport const a = open;\n",
      'src/engines/memory/index.ts': 'export const open = 1;\n',
      'src/engines/rabbitmq/conformance.test.ts': '',
      'src/engines/rabbitmq/a.ts': "import { store } from '../postgres/store.ts';\nexport const a = store;\n",
      'src/engines/postgres/conformance.test.ts': '',
      'src/engines/postgres/store.ts': 'export const store = 1;\n',
    });
    expect(found).toEqual([
      "src/engines/sqlite/a.ts:1 engine-to-engine: sqlite imports 'src/engines/memory/index.ts' of memory; " +
        'engines never reach into each other',
    ]);
  });

  it('finds a concrete engine outside cli and compose', async () => {
    const found = await findings('floors', {
      ...HARNESS,
      'src/engines/memory/index.ts': 'export const open = 1;\n',
      'src/compose/a.ts': "import { open } from '../engines/memory/index.ts';\nexport const a = open;\n",
      'src/broker/a.test.ts': "import '../engines/memory/index.ts';\n",
      'src/broker/a.ts': "import { open } from '../engines/memory/index.ts';\nexport const a = open;\n",
    });
    expect(found).toEqual([
      "src/broker/a.ts:1 concrete-engine: broker (floor 3) imports 'src/engines/memory/index.ts' of engines (floor 2); " +
        'only cli and compose name one',
    ]);
  });

  it('finds the front door used from inside, by path and by name', async () => {
    const found = await findings('floors', {
      'src/index.ts': 'export const a = 1;\n',
      'src/cli/a.ts': "import { a } from '../index.ts';\nexport const b = a;\n",
      'src/cli/b.ts': "import { a } from 'sluice';\nexport const b = a;\n",
    });
    expect(found).toEqual([
      'src/cli/a.ts:1 front-door: nothing inside imports src/index.ts',
      'src/cli/b.ts:1 front-door: nothing inside imports the package itself',
    ]);
  });

  it('finds barrels, and takes the entries of package.json and of engines for none', async () => {
    const found = await findings('floors', {
      ...HARNESS,
      'src/index.ts': "export { a } from './core/a.ts';\n",
      'src/server/index.ts': "export { a } from '../core/a.ts';\n",
      'src/engines/memory/index.ts': "export { a } from '../../core/a.ts';\n",
      'src/core/a.ts': 'export const a = 1;\n',
      'src/core/index.ts': 'export const b = 1;\n',
      'src/worker/all.ts': "export * from '../core/a.ts';\n",
    });
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      'src/worker/all.ts:1 barrel',
      'src/core/index.ts:1 barrel',
    ]);
  });

  it('finds built-in modules and impure packages in core, and drivers outside their engine', async () => {
    const found = await findings('floors', {
      'src/core/a.ts': "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n",
      'src/core/b.ts': "import pino from 'pino';\nexport const b = pino;\n",
      'src/core/c.ts': "import { Type } from 'typebox';\nexport const c = Type;\n",
      'src/core/d.test.ts': "import 'node:fs';\nimport 'vitest';\n",
      'src/broker/a.ts': "import Database from 'better-sqlite3';\nexport const a = Database;\n",
      'src/broker/b.ts':
        "export const b = (require: (name: string) => unknown) => require('better-sqlite3');\n",
    });
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      'src/broker/a.ts:1 driver-outside-engine',
      'src/broker/b.ts:1 driver-outside-engine',
      'src/core/a.ts:1 node-in-core',
      'src/core/b.ts:1 package-in-core',
    ]);
  });

  it('finds folders that are on no floor, and engines without a harness', async () => {
    const found = await findings('floors', {
      'src/utils/a.ts': 'export const a = 1;\n',
      'src/engines/shared.ts': 'export const b = 1;\n',
      'src/engines/memory/index.ts': 'export const open = 1;\n',
    });
    expect(found.map((line) => line.split(': ')[0])).toEqual([
      'src/engines/shared.ts:1 unknown-folder',
      'src/utils/a.ts:1 unknown-folder',
      'src/engines/memory:1 engine-without-harness',
    ]);
  });

  it('finds a dashboard that reaches into the source', async () => {
    const found = await findings('floors', {
      'src/core/a.ts': 'export const a = 1;\n',
      'dashboard/main.ts': "import { a } from '../src/core/a.ts';\nexport const b = a;\n",
    });
    expect(found).toEqual([
      "dashboard/main.ts:1 dashboard-import: imports '../src/core/a.ts'; the dashboard speaks HTTP only",
    ]);
  });
});

describe('cycles', () => {
  it('finds a cycle, of types too, and names its path', async () => {
    const found = await findings('cycles', {
      'src/core/a.ts': "import { b } from './b.ts';\nexport const a = b;\nexport type A = 1;\n",
      'src/core/b.ts': "import { c } from './c.ts';\nexport const b = c;\n",
      'src/core/c.ts': "import type { A } from './a.ts';\nexport const c: A = 1;\n",
    });
    expect(found).toEqual([
      'src/core/c.ts:1 cycle: src/core/a.ts -> src/core/b.ts -> src/core/c.ts -> src/core/a.ts',
    ]);
  });

  it('takes a diamond for no cycle', async () => {
    const found = await findings('cycles', {
      'src/core/a.ts': "import './b.ts';\nimport './c.ts';\n",
      'src/core/b.ts': "import './d.ts';\n",
      'src/core/c.ts': "import './d.ts';\n",
      'src/core/d.ts': 'export const d = 1;\n',
    });
    expect(found).toEqual([]);
  });
});
