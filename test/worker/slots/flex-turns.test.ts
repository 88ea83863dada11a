import { expect, test } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, letTimePass } from '#test/harness/create-harness.ts';
import { startFlexServer, UNAVAILABLE } from '#test/llm/service-tiers/flex-server.ts';

test('a turn that waits for flex has no slot, and requests a slot at its time', async () => {
  await using server = await startFlexServer();
  const projects = { a: { keys: ['a'], max_active_turns: 1 }, b: { keys: ['b'] } };
  const env = { OPENAI_BASE_URL: server.baseUrl, PAWL_PROJECTS: JSON.stringify(projects) };
  await using harness = await createHarness({ env });
  const client = apiClient(harness.url, 'a');
  server.refuse('flex', UNAVAILABLE, 1);
  const slots = async () =>
    (await harness.db.selectFrom('work').select('slot').orderBy('id').execute()).map(({ slot }) => slot);

  const waiting = await client.startTurn({ input: 'Hi', service_tier: 'flex' });
  await harness.admit();
  await harness.workUntilIdle();
  const whileWaiting = await slots();
  const other = await client.startTurn({ input: 'Hi' });
  await harness.admit();
  await harness.workUntilIdle();
  const otherEnded = await client.findTurn(other.id);
  await letTimePass(harness, 301_000);

  expect(whileWaiting).toEqual(['none']);
  expect(otherEnded.status).toBe('completed');
  expect(await client.findTurn(waiting.id)).toMatchObject({ status: 'completed', rounds: [{ service_tier: 'flex' }] });
});
