#!/usr/bin/env node
// The `sluice` command.
import { packageVersion } from '../compose/version.ts';
import { runCli } from './program.ts';
import { processTerminal } from './terminal.ts';

// A reader that has seen enough (`sluice list | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), processTerminal(), packageVersion());
