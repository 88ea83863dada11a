import { expect, test } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { createHarness, workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';

test('a turn that the model refuses is incomplete, with all it said, and its round knows where the refusal begins', async () => {
  await using harness = await createHarness();

  const { id } = await harness.startTurn({ input: scripted({ final: { say: 'Well, ', refusal: 'I cannot.' } }) });
  const ended = await workUntilEnded(harness, id);
  const kept = await loadTurn(harness.db, id);

  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  expect(ended).toMatchObject({ ...incomplete, output: 'Well, I cannot.' });
  expect(kept?.rounds).toMatchObject([{ finishReason: 'refusal', refusalFrom: 'Well, '.length }]);
});
