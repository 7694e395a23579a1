import { expect, it } from 'vitest';
import { prettyLine } from './log.ts';

it('prettyLine is one line with time, level, message and fields, and passes no control character on', () => {
  const line = prettyLine(
    JSON.stringify({
      level: 40,
      time: '2026-01-02T03:04:05.678Z',
      msg: 'a "b"\n\u001b[2Jc',
      task_id: 'x\u0007',
    }),
  );
  expect(line).toContain('03:04:05');
  expect(line).toContain('WARN');
  expect(line).toContain('a "b"\\n\\u001b[2Jc');
  expect(line).toContain('task_id="x\\u0007"');
  expect(line.split('\n')).toHaveLength(1);
});
