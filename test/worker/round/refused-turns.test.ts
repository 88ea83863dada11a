import { expect } from 'vitest';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

test('a refused turn is incomplete with all its text, and its round has the refusal', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: scripted({ final: { say: 'Well, ', refusal: 'I cannot.' } }) });
  const ended = await workUntilEnded(harness, id);
  const kept = await loadTurn(harness.db, id);

  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  expect(ended).toMatchObject({ ...incomplete, output: 'Well, I cannot.' });
  expect(kept?.rounds).toMatchObject([{ finishReason: 'refusal', refusalFrom: 'Well, '.length }]);
});
