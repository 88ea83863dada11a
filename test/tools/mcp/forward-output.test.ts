import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { forwardOutput } from '#core/tools/mcp/local/forward-output.ts';

/** The output of a command in these parts, and what is passed on of it: lines, and how many were left out before each. */
function forward() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const output = new PassThrough();
  const taken: [line: string, leftOut: number][] = [];
  const redact = vi.fn((text: string) => text);
  forwardOutput(output, redact, (line, leftOut) => void taken.push([line, leftOut]));
  const write = (text: string) => new Promise<void>((resolve) => output.write(text, () => setImmediate(resolve)));
  return { write, taken, redact };
}

test('lines are passed on wherever the output is cut, and empty ones are not', async () => {
  const { write, taken } = forward();

  for (const part of ['on', 'e\n\n \ntw', 'o\r\nthree\n', 'four']) await write(part);

  expect(taken).toEqual([
    ['one', 0],
    ['two\r', 0],
    ['three', 0],
  ]);
});

test('of lines that come together beyond the rate each is counted, and none is looked at', async () => {
  const { write, taken, redact } = forward();

  await write('x\n'.repeat(30_000));
  await write('x\n'.repeat(30_000));
  const looked = redact.mock.calls.length;
  vi.advanceTimersByTime(1_000);
  await write('last\nof all');

  expect(looked).toBe(MCP_BOUNDS.outputBurst);
  expect(taken.at(-1)).toEqual(['last', 60_000 - MCP_BOUNDS.outputBurst]);
});

test('a line without an end is passed on in its bound', async () => {
  const { write, taken } = forward();

  for (let part = 0; part < 10; part += 1) await write('y'.repeat(100_000));
  await write('\n');

  expect(taken).toHaveLength(1);
  expect(taken[0]?.[0].length).toBeLessThanOrEqual(MCP_BOUNDS.outputLineLength);
});
