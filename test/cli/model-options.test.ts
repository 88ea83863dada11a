import { expect, test } from 'vitest';
import { readCommand } from '#cli/read-command.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
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
  [['--provider-header', 'x-secret'], '--provider-header “x-secret” has no name. Write "name: value".'],
  [['--max-attempts', 'many'], '“many” is not a valid value of --max-attempts. Give a whole number from 1.'],
  [['--model-timeout-ms', '0'], '“0” is not a valid value of --model-timeout-ms.'],
  [['--model-idle-timeout-ms', '1.5'], '“1.5” is not a valid value of --model-idle-timeout-ms.'],
])('run says what is wrong with an option: %j', (options, sentence) => {
  expect(() => readCommand(['run', 'Hi', ...options])).toThrow(sentence);
});

test('run sets nothing that was not given', () => {
  const command = readCommand(['run', 'Hi']);

  expect(command).toMatchObject({ request: { provider_headers: undefined, model_retry: undefined } });
});
