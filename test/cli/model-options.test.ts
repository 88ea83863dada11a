import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { runPawl } from './run-pawl.ts';

const retry = ['--max-attempts', '3', '--model-timeout-ms', '60000', '--model-idle-timeout-ms', '5000'];

test('run sets headers, attempts and timeouts of the requests to the model', async () => {
  await using server = await startWireServer();
  server.answer({ body: openaiWire.reply({ text: ['Hello.'] }) });
  const own = { kind: 'openai', base_url: `${server.origin}/v1`, allowed_headers: ['x-tag', 'x-time'] };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify({ own }) } });
  await using _worker = await startBackgroundWorker(harness);
  const headers = ['--provider-header', 'X-Tag: one', '--provider-header', 'x-time:12:30'];

  const { output, exitCode } = await runPawl(harness.url, ['run', 'Hi', '--model', 'own/x', ...headers, ...retry]);

  const id = /turn_\w+/.exec(output)?.[0];
  expect(exitCode).toBe(0);
  const provider_headers = { 'x-tag': 'one', 'x-time': '12:30' };
  expect(server.asked).toMatchObject([{ headers: provider_headers }]);
  const { body } = await harness.call('GET', `/v1/turns/${id}?include=config`);
  expect(body).toMatchObject({
    config: { provider_headers, model_retry: { max_attempts: 3, timeout_ms: 60_000, idle_timeout_ms: 5_000 } },
  });
});

test.each([
  [['--provider-header', 'x-secret'], `argument 'x-secret' is invalid. Write "name: value".`],
  [['--provider-header', 'a: 1', '--provider-header', 'A: 2'], "argument 'A: 2' is invalid. Give each header once."],
  [['--max-attempts', 'many'], "Option '--max-attempts <n>' argument 'many' is invalid. Give a whole number from 1."],
  [['--model-timeout-ms', '0'], "Option '--model-timeout-ms <ms>' argument '0' is invalid."],
  [['--model-idle-timeout-ms', '1.5'], "Option '--model-idle-timeout-ms <ms>' argument '1.5' is invalid."],
])('run reports an invalid option: %j', async (options, sentence) => {
  const { complaints, exitCode } = await runPawl('http://127.0.0.1:1', ['run', 'Hi', ...options]);

  expect(complaints).toContain(sentence);
  expect(exitCode).toBe(2);
});

test('run sets no model option by default', async ({ harness, worker: _ }) => {
  const { output } = await runPawl(harness.url, ['run', 'Hi', '--model', 'openai/test']);

  const { body } = await harness.call('GET', `/v1/turns/${/turn_\w+/.exec(output)?.[0]}?include=config`);
  expect(body).toMatchObject({ config: { provider_headers: {}, model_retry: null } });
});
