import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '../harness/create-harness.ts';
import { scripted } from '../harness/scripted.ts';
import { openHeldModel } from '../harness/servers/held-model.ts';
import { textStreams } from './text-streams.ts';

test.each(Object.entries(textStreams))('%s reads a text while the model writes it', async (_, stream) => {
  await using model = await openHeldModel(2);
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
  await using _worker = await startBackgroundWorker(harness);
  const prompt = scripted({ answer: 'One word after the other.', piece_chars: 4 });

  const pieces: string[] = [];
  for await (const text of stream({ url: harness.url, prompt })) {
    if (text) pieces.push(text);
    // The model writes no more until the client has read a piece.
    if (text) model.goOn();
  }

  expect(pieces.join('')).toBe('One word after the other.');
  expect(pieces.length).toBeGreaterThan(1);
});
