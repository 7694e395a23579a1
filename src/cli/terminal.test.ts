import { expect, it } from 'vitest';
import { type RecordingTerminal, recordingTerminal } from '../../test/support/recording-terminal.ts';
import { printFields, printTable } from './terminal.ts';

function linesOf(terminal: RecordingTerminal): string[] {
  return terminal.printed.out.trimEnd().split('\n');
}

it('a table has columns and a header on a terminal, tabs and no header elsewhere', () => {
  const rows = [
    ['a', 1, null],
    ['longer', 22, true],
  ];
  const tty = recordingTerminal(true);
  printTable(tty, ['NAME', 'N', 'ON'], rows);
  expect(linesOf(tty)).toEqual(['NAME    N   ON', 'a       1   -', 'longer  22  true']);
  const pipe = recordingTerminal();
  printTable(pipe, ['NAME', 'N', 'ON'], rows);
  expect(linesOf(pipe)).toEqual(['a\t1\t-', 'longer\t22\ttrue']);
});

it('fields leave out what is not there and write nested values as JSON', () => {
  const terminal = recordingTerminal();
  printFields(terminal, { a: 1, gone: null, nested: { x: [1] } });
  expect(linesOf(terminal)).toEqual(['a\t1', 'nested\t{"x":[1]}']);
});

it('no control character of a stored text reaches the terminal', () => {
  const terminal = recordingTerminal(true);
  printTable(terminal, ['X'], [['\u001b]0;owned\u0007\u202e']]);
  expect(linesOf(terminal)[1]).toBe('\\u001b]0;owned\\u0007\\u202e');
});
