import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { runPawl } from './run-pawl.ts';

const model = ['--model', 'openai/test'];

test('run sets how the prompt cache of the provider is used', async ({ harness, worker: _ }) => {
  const { output, exitCode } = await runPawl(harness.url, ['run', 'Hi', ...model, '--prompt-cache', 'off']);
  const wrong = await runPawl(harness.url, ['run', 'Hi', ...model, '--prompt-cache', '2h']);

  const id = /turn_\w+/.exec(output)?.[0];
  expect(exitCode).toBe(0);
  const { body } = await harness.call('GET', `/v1/turns/${id}?include=config`);
  expect(body).toMatchObject({ config: { prompt_cache: 'off' } });
  expect(wrong).toMatchObject({
    exitCode: 2,
    complaints: expect.stringContaining('Allowed choices are auto, off, 5m, 1h.'),
  });
});
