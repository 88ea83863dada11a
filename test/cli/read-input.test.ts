import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { runCli } from '#cli/run-cli.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';

/** Runs a command with a pipe as its standard input. */
async function piped(url: string, args: string[], input: string) {
  const stdin = Object.assign(new PassThrough(), { isTTY: false });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdin.end(input);
  const { signal } = new AbortController();
  const exitCode = await runCli(args, { env: { PAWL_URL: url }, stdin, stdout, stderr, signal });
  return { exitCode, complaints: String(stderr.read() ?? '') };
}

test.each([[['run']], [['run', '-']]])('pawl %j reads its input from the standard input', async (args) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);

  const { exitCode } = await piped(harness.url, [...args, '--model', 'openai/test'], 'Say hello\nto Ada.\n');
  const { body: turns } = await harness.call('GET', '/v1/turns');

  expect(exitCode).toBe(0);
  expect(JSON.stringify(turns)).toContain('Say hello\\nto Ada.');
});

test('pawl run with an input leaves the standard input unread', async ({ harness, worker: _ }) => {
  expect(await piped(harness.url, ['run', 'Hi', '--model', 'openai/test'], 'more')).toMatchObject({ exitCode: 0 });
});

test('pawl run with an empty standard input reports the missing input', async () => {
  const { exitCode, complaints } = await piped('http://127.0.0.1:1', ['run'], '\n');

  expect(exitCode).toBe(2);
  expect(complaints).toMatch(/^The input is missing\. Write pawl run "Hello", .* See: pawl run --help\n$/);
});
