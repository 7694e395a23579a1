// No file of src/ may reach itself through its imports, types included: a cycle means that two files are one idea.
import type { Finding } from './finding.ts';
import { type Import, importsOf } from './imports.ts';
import { srcFiles } from './source-files.ts';

export function checkCycles(root: string): readonly Finding[] {
  const graph = new Map<string, readonly Import[]>();
  for (const file of srcFiles(root)) {
    // An entry is loaded by a thread of its own, so it may share files with whoever starts it.
    graph.set(
      file.path,
      importsOf(file).filter((edge) => edge.target !== null && edge.kind !== 'entry'),
    );
  }
  const done = new Set<string>();
  const findings: Finding[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (done.has(path)) return;
    for (const edge of graph.get(path) ?? []) {
      const target = edge.target ?? '';
      const at = [...trail, path].indexOf(target);
      if (at < 0) {
        visit(target, [...trail, path]);
        continue;
      }
      const loop = [...trail, path].slice(at);
      const message = [...loop, target].join(' -> ');
      findings.push({ file: path, line: edge.line, rule: 'cycle', message });
    }
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return findings;
}
