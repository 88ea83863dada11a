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

test('the API describes itself, and the page lists every route', async () => {
  await using world = await createWorld();

  const { body: description } = await world.call<{ paths: object }>('GET', '/openapi.json');
  const page = await (await fetch(`${world.url}/docs`)).text();

  for (const path of Object.keys(description.paths)) expect(page).toContain(`<code>${path}</code>`);
  expect(Object.keys(description.paths)).toContain('/v1/turns/{id}/tool_outputs');
});
