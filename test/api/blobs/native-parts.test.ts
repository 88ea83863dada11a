import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness } from '#test/harness/create-harness.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const sha = createHash('sha256').update(Buffer.from(PNG, 'base64')).digest('hex');
const image = { type: 'input_image', image_url: `data:image/png;base64,${PNG}`, detail: 'low' };
const question = { type: 'input_text', text: 'What is it?' };

test('an image of a user reaches the model inside the request, and every read shows where its bytes are', async () => {
  await using harness = await createHarness();

  const started = await harness.startTurn({ input: [{ role: 'user', content: [question, image] }] });
  await harness.workUntilIdle();
  const turn: TurnResource = await harness.findTurn(started.id);

  expect(harness.modelRequests[0]?.body).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'low' } },
        ],
      },
    ],
  });
  const shown = [{ role: 'user', content: [question, { ...image, image_url: `/v1/blobs/${sha}` }] }];
  expect([started.input, turn.input, turn.status]).toEqual([shown, shown, 'completed']);
  const response = await fetch(`${harness.url}/v1/blobs/${sha}`);
  expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(PNG);
});
