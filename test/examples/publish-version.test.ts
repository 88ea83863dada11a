import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';
import { runScript } from '../demo/run-script.ts';

test('the example of agents publishes a version and rolls it back', async ({ harness, worker: _ }) => {
  const { output, complaints } = await runScript(['examples/agents/publish-version.ts'], {
    PAWL_URL: harness.url,
    PAWL_MODEL: 'openai/test',
  });

  expect(complaints).toBe('');
  expect(output.trim().split('\n')).toEqual([
    '[completed] version 1: You help Ada.',
    'created version 2, which no turn uses yet',
    '[completed] version 1: You help Ada.',
    'production is version 2',
    '[completed] version 2: You help Ada. Answer in one sentence.',
    'production is version 1 again',
    '[completed] version 1: You help Ada.',
  ]);
});
