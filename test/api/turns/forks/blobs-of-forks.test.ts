import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { countBlobs, image, PNG, pngOf, text, user } from '../../blobs/samples.ts';

test('blobs of rounds without a fork are deleted unless another turn uses them', async () => {
  const PAWL_TOOLS = new URL('../../blobs/picture-tools.ts', import.meta.url).pathname;
  await using harness = await createHarness({ env: { PAWL_TOOLS } });
  const script = scripted({ rounds: [{ tools: [{ name: 'take_picture', arguments: {} }] }], answer: 'Seen.' });
  const input = user(text(script), image(pngOf({ mark: 'own' })));
  const origin = await harness.startTurn({ input, tools: ['take_picture'] });
  await harness.workUntilIdle();
  const forkedAt = async (after_round: number) => {
    const body = { after_round, input: scripted({ answer: 'Well.' }) };
    return (await harness.call<TurnResource>('POST', `/v1/turns/${origin.id}/fork`, { body })).body.conversation_id;
  };
  const forks = [await forkedAt(0), await forkedAt(1)];
  const other = await harness.startTurn({ input: user(text('Look'), image(PNG)) });
  await harness.workUntilIdle();
  const counts = [await countBlobs(harness)];

  for (const path of [`turns/${origin.id}`, ...forks.map((id) => `conversations/${id}`).reverse()]) {
    await harness.call('DELETE', `/v1/${path}`);
    counts.push(await countBlobs(harness));
  }

  // The image of the input, and the picture and the file of the tool. The other turn also uses the picture.
  const all = { blobs: 3, references: 4 };
  expect(counts).toEqual([all, all, { blobs: 1, references: 1 }, { blobs: 1, references: 1 }]);
  expect((await harness.findTurn(other.id)).status).toBe('completed');
});
