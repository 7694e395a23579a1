// Runs a tool and answers what it printed. Tools exit non-zero when they find something, so the exit status alone is no
// failure; a tool that says nothing readable is, and its caller says so.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
/** The tools are this repository's, also when they look at another root. */
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface ToolRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `script` is a path inside node_modules, such as `knip/bin/knip.js`. */
export function runTool(script: string, args: readonly string[], cwd: string): Promise<ToolRun> {
  return runNode([MODULES + script, ...args], cwd);
}

export function runNode(args: readonly string[], cwd: string): Promise<ToolRun> {
  return new Promise((resolve, reject) => {
    const options = { cwd, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' as const };
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.code;
      if (typeof status === 'number') resolve({ status, stdout, stderr });
      else reject(error);
    });
  });
}

/** For a tool that failed and said nothing that a check could read. */
export function broken(tool: string, run: ToolRun): Error {
  return new Error(`${tool} exited with ${run.status}:\n${run.stderr}${run.stdout}`.trim());
}
