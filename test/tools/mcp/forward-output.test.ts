import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MCP_BOUNDS } from '#core/bounds/mcp-bounds.ts';
import { forwardOutput } from '#core/tools/mcp/local/forward-output.ts';

/** Forwards the output of a command. Records each line with the number of lines omitted before it. */
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

test('output lines are forwarded however the output is split, without empty lines', async () => {
  const { write, taken } = forward();

  for (const part of ['on', 'e\n\n \ntw', 'o\r\nthree\n', 'four']) await write(part);

  expect(taken).toEqual([
    ['one', 0],
    ['two\r', 0],
    ['three', 0],
  ]);
});

test('output lines beyond the rate are counted and not processed', async () => {
  const { write, taken, redact } = forward();

  await write('x\n'.repeat(30_000));
  await write('x\n'.repeat(30_000));
  const looked = redact.mock.calls.length;
  vi.advanceTimersByTime(1_000);
  await write('last\nof all');

  expect(looked).toBe(MCP_BOUNDS.outputBurst);
  expect(taken.at(-1)).toEqual(['last', 60_000 - MCP_BOUNDS.outputBurst]);
});

test('an output line without an end is forwarded up to its bound', async () => {
  const { write, taken } = forward();

  for (let part = 0; part < 10; part += 1) await write('y'.repeat(100_000));
  await write('\n');

  expect(taken).toHaveLength(1);
  expect(taken[0]?.[0].length).toBeLessThanOrEqual(MCP_BOUNDS.outputLineLength);
});
