import { expect, test } from 'vitest';
import { makeRedact } from '#core/redact.ts';
import { ToolFailed } from '#core/tools/define/tool.ts';
import { runServerTool } from './run-server-tool.ts';

const KEY = 'k3y-"of"-somebody';

const run = (execute: Parameters<typeof runServerTool>[0], reported: unknown[] = []) =>
  runServerTool(execute, {
    context: { redact: makeRedact([KEY]), outputLimit: 40, progress: (value) => reported.push(value) },
  });

test('an output is redacted before it is truncated, so no part of a secret stays', async () => {
  const { result, full } = await run(() => ({ [KEY]: 1, keys: Array(9).fill(KEY) }));

  expect(full).toBe(`{"[redacted]":1,"keys":[${Array(9).fill('"[redacted]"').join(',')}]}`);
  expect(result).toMatchObject({ status: 'success', truncated: true });
  expect(result.content).not.toMatch(/k3y|somebody/);
});

test('the error of a tool is redacted: message, cause, details and their names', async () => {
  const unknown = await run(() => {
    throw new Error('fetch failed', { cause: new Error(`${KEY} was refused`) });
  });
  const known = await run(() => {
    throw new ToolFailed('authentication_failed', `no ${KEY}`, { [KEY]: { tried: [KEY, 7, null] } });
  });

  expect(unknown.result.error?.message).toBe('fetch failed: [redacted] was refused');
  expect(known.result.error).toEqual({
    category: 'authentication_failed',
    message: 'no [redacted]',
    details: { '[redacted]': { tried: ['[redacted]', 7, null] } },
  });
});

test('an error message is redacted before it is truncated', async () => {
  const { result } = await run(() => {
    throw new Error(`${'x'.repeat(1990)}${KEY}`);
  });

  expect(result.error?.message).toMatch(/^x+\[redacte?d?\]?…?$/);
});

test('progress is redacted, and progress that is not JSON is omitted', async () => {
  const reported: unknown[] = [];

  await run((_, { progress }) => {
    progress({ at: [KEY] });
    progress(KEY);
    progress(1n);
  }, reported);

  expect(reported).toEqual([{ at: ['[redacted]'] }, '[redacted]']);
});
