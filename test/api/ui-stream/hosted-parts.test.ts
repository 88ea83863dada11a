import { expect } from 'vitest';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { test } from '#test/harness/test.ts';
import { citation, dot, makeCode, makeSearch, started } from '../../turn/hosted/make-hosted.ts';
import { playResponse, type Said } from '../openai/responses/play-response.ts';
import { chunksOf, readMessage } from './read-message.ts';

const failed = { status: 'failed' as const, output: null, error: 'The page is gone.' };
const said: Said = {
  text: 'Found it.',
  hosted: [makeSearch(), makeCode(failed)],
  citations: [
    ...[citation(0, 5), citation(6, 8), citation(0, 2, { url: 'https://pawl.example/b' })],
    { type: 'file_citation', file_id: 'file_1', title: 'a.md', start_index: 0, end_index: 2 },
  ],
  images: [dot],
};

const play = ({ db, parts, worker }: Harness) =>
  playResponse({ db, pubsub: parts.pubsub, watchers: worker.watchers }, { hosted: ['web_search'] });

test('the message of a turn shows hosted calls, sources and images to the AI SDK', async ({ harness }) => {
  const turn = await play(harness);
  await turn.start();
  await turn.complete(said);
  const path = `${harness.url}/v1/turns/${turn.id}/ui-stream`;

  const { chunks, isDone } = await chunksOf(await (await fetch(path)).text());
  const { message, errors } = await readMessage(path);

  expect(isDone).toBe(true);
  expect(errors).toEqual([]);
  expect(chunks.map(({ type }) => type)).toEqual([
    ...['start', 'start-step', 'tool-input-start', 'tool-input-available', 'tool-output-available'],
    ...['tool-input-start', 'tool-input-available', 'tool-output-error', 'text-start', 'text-delta', 'text-end'],
    ...['source-url', 'source-url', 'source-document', 'file', 'finish-step', 'finish'],
  ]);
  expect(message?.parts).toMatchObject([
    { type: 'step-start' },
    {
      ...{ type: 'dynamic-tool', toolName: 'web_search', toolCallId: 'h1_ws_1', state: 'output-available' },
      ...{ providerExecuted: true, input: { query: 'pawl' } },
    },
    { type: 'dynamic-tool', toolName: 'code_execution', state: 'output-error', errorText: 'The page is gone.' },
    { type: 'text', text: 'Found it.' },
    { type: 'source-url', sourceId: 's1_0', url: 'https://pawl.example/a', title: 'A' },
    { type: 'source-url', sourceId: 's1_1', url: 'https://pawl.example/b' },
    { type: 'source-document', sourceId: 's1_2', title: 'a.md', mediaType: 'application/octet-stream' },
    { type: 'file', mediaType: 'image/png', url: expect.stringMatching(/^\/v1\/blobs\/[0-9a-f]{64}$/) },
  ]);
  const image = chunks.flatMap((chunk) => (chunk.type === 'file' ? [chunk.url] : []));
  expect((await fetch(harness.url + image)).headers.get('content-type')).toBe('image/png');
});

test('a live message shows hosted calls beside its text, and ends as a later message', async () => {
  await using harness = await createHarness();
  const turn = await play(harness);
  await turn.start();
  const path = `${harness.url}/v1/turns/${turn.id}/ui-stream`;
  const body = (await fetch(path)).body!.pipeThrough(new TextDecoderStream()).getReader();
  let received = '';
  const until = async (text: string) => {
    while (!received.includes(text)) received += (await body.read()).value ?? '';
  };
  const round = await turn.publishRound();
  round.say('Found ');
  await until('"delta":"Found "');
  round.host(started(makeSearch()));
  await until('tool-input-start');
  round.say('it.');
  await until('"delta":"it."');
  for (const call of [makeSearch(), started(makeCode()), makeCode(failed)]) round.host(call);
  await until('tool-output-error');
  round.end();
  await turn.complete(said);
  await until('[DONE]');

  const { chunks } = await chunksOf(received);
  expect(chunks.map(({ type }) => type).slice(2)).toEqual([
    ...['text-start', 'text-delta', 'tool-input-start', 'text-delta', 'tool-input-available', 'tool-output-available'],
    ...['tool-input-start', 'tool-input-available', 'tool-output-error', 'text-end'],
    ...['source-url', 'source-url', 'source-document', 'file', 'finish-step', 'finish'],
  ]);
  const later = await chunksOf(await (await fetch(path)).text());
  const keyOf = (chunk: object) => JSON.stringify(chunk);
  const whole = (all: object[]) => all.map(keyOf).filter((key) => !key.includes('text-delta'));
  expect(whole(chunks).toSorted()).toEqual(whole(later.chunks).toSorted());
});
