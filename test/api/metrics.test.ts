import { expect, test } from 'vitest';
import { createWorld } from '#test/world/create-world.ts';

test('the metrics say what is under way', async () => {
  await using world = await createWorld();
  await world.startTurn({ input: 'Hi' });

  const text = await (await fetch(`${world.url}/metrics`)).text();

  expect(text).toContain('pawl_turns{status="queued"} 1\n');
  expect(text).toContain('pawl_turns_late 0\n');
  expect(text).toMatch(/pawl_jobs\{state="prioritized"\} 1\n/);
});
