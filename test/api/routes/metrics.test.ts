import { expect, test } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';

test('the metrics say what is under way', async () => {
  await using harness = await createHarness();
  await harness.startTurn({ input: 'Hi' });

  const text = await (await fetch(`${harness.url}/metrics`)).text();

  expect(text).toContain('pawl_turns{status="queued"} 1\n');
  expect(text).toContain('pawl_turns_late 0\n');
  expect(text).toMatch(/pawl_jobs\{state="prioritized"\} 1\n/);
});
