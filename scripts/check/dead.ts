// Files, exports and dependencies that nothing uses, by knip.
import type { Finding } from './finding.ts';
import { broken, runTool } from './run-tool.ts';

interface Unused {
  readonly name: string;
  readonly line?: number;
}

/** One file's row of knip's JSON report: its path and, per kind of issue, what was found. */
type Row = { readonly file: string } & Readonly<Record<string, readonly (Unused | readonly Unused[])[]>>;

const RULES: Readonly<Record<string, readonly [rule: string, message: string]>> = {
  files: ['dead-file', 'no entry reaches this file'],
  exports: ['dead-export', 'is exported and never imported'],
  types: ['dead-export', 'is exported and never imported'],
  nsExports: ['dead-export', 'is exported and never used'],
  nsTypes: ['dead-export', 'is exported and never used'],
  namespaceMembers: ['dead-export', 'is a member that nothing uses'],
  enumMembers: ['dead-export', 'is a member that nothing uses'],
  duplicates: ['double-export', 'is exported under two names'],
  dependencies: ['dead-dependency', 'is installed with the package and never imported'],
  devDependencies: ['dead-dependency', 'is installed for development and never used'],
  optionalPeerDependencies: ['unlisted-dependency', 'is an optional peer that is imported'],
  unlisted: ['unlisted-dependency', 'is imported and not listed in package.json'],
  binaries: ['unlisted-dependency', 'is run and not listed in package.json'],
  unresolved: ['unresolved-import', 'cannot be resolved'],
};

export async function checkDead(root: string): Promise<readonly Finding[]> {
  const run = await runTool('knip/bin/knip.js', ['--reporter', 'json', '--no-config-hints'], root);
  const report = reportOf(run.stdout);
  if (report === null) throw broken('knip', run);
  return report.flatMap((row) =>
    Object.entries(RULES).flatMap(([kind, [rule, message]]) =>
      (row[kind] ?? []).flat().map(({ name, line }) => ({
        file: row.file,
        line: line ?? 1,
        rule,
        message: kind === 'files' ? message : `'${name}' ${message}`,
      })),
    ),
  );
}

function reportOf(text: string): readonly Row[] | null {
  try {
    return JSON.parse(text).issues;
  } catch {
    return null;
  }
}
