import { expect, test } from 'vitest';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { MODELS, pass } from './batch-turns.ts';

const projects = { a: { keys: ['a'], max_active_turns: 1 }, b: { keys: ['b'] } };
const answer = 'It is sunny in Tokyo.';
const call = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };

test('a round waits for its batch without a slot, and another turn runs in the slot', async () => {
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify(projects) } });
  const client = apiClient(harness.url, 'a');
  const workAll = async () => {
    await harness.admit();
    await harness.workUntilIdle();
  };
  const slots = async () =>
    (await harness.db.selectFrom('work').select('slot').orderBy('id').execute()).map(({ slot }) => slot);

  const input = scripted({ rounds: [{ tools: [call] }], answer });
  const batched = { model: MODELS.chat, service_tier: 'batch', tools: ['weather_lookup'], input };
  const waiting = await client.startTurn(batched);
  await workAll();
  const whileWaiting = await slots();
  const other = await client.startTurn({ input: 'Hi' });
  await workAll();
  const otherEnded = await client.findTurn(other.id);
  for (let minutes = 0; minutes < 8; minutes += 1) {
    await pass(harness);
    await workAll();
  }

  expect(whileWaiting).toEqual(['none']);
  expect(otherEnded.status).toBe('completed');
  expect(await client.findTurn(waiting.id)).toMatchObject({ status: 'completed', output: answer });
  expect(harness.keptBatches.created).toHaveLength(2);
});
