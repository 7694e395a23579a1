import pc from 'picocolors';
import { expect, it } from 'vitest';
import { printFields, printTable, type Terminal } from './terminal.ts';

function memoryTerminal(isTty: boolean) {
  const lines: string[] = [];
  const terminal: Terminal = {
    isTty,
    colors: pc.createColors(false),
    out: (line) => lines.push(line),
    err: () => undefined,
    status: () => undefined,
    confirm: async () => true,
  };
  return { terminal, lines };
}

it('a table has columns and a header on a terminal, tabs and no header elsewhere', () => {
  const rows = [
    ['a', 1, null],
    ['longer', 22, true],
  ];
  const tty = memoryTerminal(true);
  printTable(tty.terminal, ['NAME', 'N', 'ON'], rows);
  expect(tty.lines).toEqual(['NAME    N   ON', 'a       1   -', 'longer  22  true']);
  const pipe = memoryTerminal(false);
  printTable(pipe.terminal, ['NAME', 'N', 'ON'], rows);
  expect(pipe.lines).toEqual(['a\t1\t-', 'longer\t22\ttrue']);
});

it('fields leave out what is not there and write nested values as JSON', () => {
  const { terminal, lines } = memoryTerminal(false);
  printFields(terminal, { a: 1, gone: null, nested: { x: [1] } });
  expect(lines).toEqual(['a\t1', 'nested\t{"x":[1]}']);
});

it('no control character of a stored text reaches the terminal', () => {
  const { terminal, lines } = memoryTerminal(true);
  printTable(terminal, ['X'], [['\u001b]0;owned\u0007\u202e']]);
  expect(lines[1]).toBe('\\u001b]0;owned\\u0007\\u202e');
});
