// What a check reports: one file, one place, one rule, one sentence. Every check is a function from a root folder to findings.

export interface Finding {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  /** 1-based; 1 where the finding is about the whole file. */
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

export type Check = (root: string) => readonly Finding[] | Promise<readonly Finding[]>;

export function show(finding: Finding): string {
  return `${finding.file}:${finding.line} ${finding.rule}: ${finding.message}`;
}
