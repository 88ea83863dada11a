import { expect } from 'vitest';
import { completionMessage } from '#core/turn/completions/completion-message.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import {
  citation,
  dot,
  makeCode,
  makeFileSearch,
  makeImageCall,
  makeSearch,
  PIXEL,
  started,
} from '../../../../turn/hosted/make-hosted.ts';
import { test } from '../../test.ts';
import { gather } from '../clients/gather.ts';
import { openaiClient, raised } from '../openai-client.ts';
import { playResponse, type Said } from '../play-response.ts';
import { createStreamHarness } from '../stream-harness.ts';

const hosted = ['web_search', 'code_execution', 'file_search', 'image_generation'] as const;
const calls = [makeSearch(), makeCode(), makeFileSearch(), makeImageCall()];
const found: Said = { text: 'Found it.', hosted: calls, citations: [citation(0, 5)], images: [dot] };

async function play({ db, parts, worker }: Harness, said: Said) {
  const response = await playResponse({ db, pubsub: parts.pubsub, watchers: worker.watchers }, { hosted });
  await response.start();
  await response.complete(said);
  const id = response.id.replace('turn_', 'resp_');
  return { id, X: id.replace('resp_', ''), conversation: (await response.load()).conversationId };
}

test('the OpenAI client reads hosted calls, citations, images and included outputs', async ({ harness }) => {
  const client = openaiClient(harness);
  const { id } = await play(harness, found);

  const plain = await client.responses.retrieve(id);
  const whole = await client.responses.retrieve(id, {
    include: ['web_search_call.action.sources', 'code_interpreter_call.outputs', 'file_search_call.results'],
  });

  expect(plain.output_text).toBe('Found it.');
  expect(plain.output).toMatchObject([
    { type: 'web_search_call', action: { query: 'pawl' } },
    { type: 'code_interpreter_call', code: 'print(6 * 7)', outputs: null },
    { type: 'file_search_call', results: null },
    { type: 'image_generation_call', result: PIXEL },
    { content: [{ annotations: [{ type: 'url_citation', url: 'https://pawl.example/a', start_index: 0 }] }] },
  ]);
  expect(whole.output).toMatchObject([
    { action: { sources: [{ url: 'https://pawl.example/a' }] } },
    { outputs: [{ type: 'logs', logs: '42\n' }] },
    { results: [{ filename: 'a.md' }] },
    {},
    {},
  ]);
});

test('a stream of an ended response ends with the images that a retrieve shows', async ({ harness }) => {
  const client = openaiClient(harness);
  const { id } = await play(harness, found);

  const stream = await client.responses.retrieve(id, { stream: true });
  const events = await gather(stream);

  const { output } = await client.responses.retrieve(id);
  const last = events.at(-1)!;
  expect(last).toMatchObject({ type: 'response.completed' });
  expect('response' in last && last.response.output).toEqual(output);
  const cited = events.filter(({ type }) => type === 'response.output_text.annotation.added');
  expect(cited).toMatchObject([{ annotation_index: 0, annotation: { url: 'https://pawl.example/a' } }]);
});

test('an answer shows at most 16 MiB of images, those of its first rounds', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const large = (filling: number) => {
    const bytes = Buffer.concat([Buffer.from(PIXEL, 'base64'), Buffer.alloc(9 * 1024 * 1024, filling)]);
    return { url: `data:image/png;base64,${bytes.toString('base64')}`, offset: 0 };
  };
  const { db, parts, worker } = harness;
  const response = await playResponse({ db, pubsub: parts.pubsub, watchers: worker.watchers }, { hosted });
  await response.start();
  await response.commit({ calls: ['look_up'], hosted: [makeImageCall()], images: [large(1)] });
  await response.answer(1, 0);
  await response.complete({ text: 'Two.', hosted: [makeImageCall()], images: [large(2)] });
  const { conversationId } = await response.load();

  const { output } = await client.responses.retrieve(response.id.replace('turn_', 'resp_'));
  const { data } = await client.conversations.items.list(conversationId, { order: 'asc' });

  const sizes = (items: object[]) => items.flatMap((item) => ('result' in item ? [String(item.result).length] : []));
  expect(sizes(output)).toEqual([expect.toSatisfy((length) => length > 12_000_000), 'null'.length]);
  expect(sizes(data)).toEqual(sizes(output));
});

test('a hosted call is an item of its conversation that can be deleted', async ({ harness }) => {
  const client = openaiClient(harness, '/openai/v1');
  const { X, conversation } = await play(harness, found);
  const place = { conversation_id: conversation };
  const list = async () => (await client.conversations.items.list(conversation, { order: 'asc' })).data;
  const before = await list();

  await client.conversations.items.delete(`ig_${X}_r1_3`, place);
  const one = await client.conversations.items.retrieve(`ci_${X}_r1_1`, {
    ...{ ...place, include: ['code_interpreter_call.outputs'] },
  });
  await client.responses.create({ model: 'test', input: 'And?', conversation, background: true });
  await harness.workUntilIdle();

  expect(before.map(({ type }) => type).slice(1)).toEqual([
    ...['web_search_call', 'code_interpreter_call', 'file_search_call', 'image_generation_call', 'message'],
  ]);
  expect(before[4]).toMatchObject({ result: PIXEL });
  expect(one).toMatchObject({ outputs: [{ logs: '42\n' }] });
  expect((await list()).map(({ type }) => type)).not.toContain('image_generation_call');
  expect(await raised(client.conversations.items.retrieve(`ig_${X}_r1_3`, place))).toMatchObject({ status: 404 });
  const sent = JSON.stringify(harness.modelRequests.at(-1)!.body);
  expect(sent).toContain('The provider ran code_execution');
  expect(sent).not.toMatch(/ran image_generation|made an image/);
});

test('a completion has the sources on the web of all its texts', async ({ harness }) => {
  const response = await playResponse({
    ...{ db: harness.db, pubsub: harness.parts.pubsub, watchers: harness.worker.watchers },
  });
  await response.start();
  await response.commit({ text: 'Let me look.', calls: ['look_up'], citations: [citation(0, 3)] });
  await response.answer(1, 0);
  await response.complete({ text: 'Found it.', citations: [citation(0, 5)] });

  const { content, annotations } = completionMessage(await response.load());

  expect(
    annotations.map(({ url_citation: { start_index, end_index } }) => content?.slice(start_index, end_index)),
  ).toEqual(['Let', 'Found']);
});

const typesOf = (events: NumberedEvent[]) => events.map(({ type }) => type.replace('response.', ''));
const begun = ['output_item.added', 'web_search_call.in_progress', 'web_search_call.searching'];

test('hosted calls are streamed live, and the text after them at its commit', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness, { hosted, isSilent: true });
  await response.start();
  const stream = await harness.stream(response.id);
  await stream.until((seen) => seen.length === 2);
  const round = await response.publishRound();
  round.say('Well, ');
  round.host(started(makeSearch()));
  await stream.until((seen) => seen.length === 5);
  const live = typesOf(stream.events());
  round.host(makeSearch());
  round.host(started(makeImageCall()));
  await stream.until((seen) => seen.length === 10);
  const ended = typesOf(stream.events());
  round.end();
  await response.complete({ text: 'Well, found.', hosted: [makeSearch(), makeImageCall()], images: [dot] });
  await stream.over;

  expect(live.slice(2)).toEqual(begun);
  expect(ended.slice(5)).toEqual([
    ...['web_search_call.completed', 'output_item.done', 'output_item.added'],
    ...['image_generation_call.in_progress', 'image_generation_call.generating'],
  ]);
  expect(typesOf(stream.events()).slice(10)).toEqual([
    ...['image_generation_call.completed', 'output_item.done', 'output_item.added', 'content_part.added'],
    ...['output_text.delta', 'output_text.done', 'content_part.done', 'output_item.done', 'completed'],
  ]);
});

test('a stream with a hosted call is superseded if the next run makes another call', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness, { hosted, isSilent: true });
  await response.start();
  const stream = await harness.stream(response.id);
  await stream.until((seen) => seen.length === 2);
  const first = await response.publishRound();
  for (const call of [started(makeCode()), makeCode()]) first.host(call);
  await stream.until((seen) => seen.length === 8);
  first.end();
  await response.beginAgain();
  await response.publishRound();
  await response.complete({ text: 'Done.', hosted: [makeCode({ input: { code: 'print(43)' } })] }, 1);
  await stream.over;

  expect(stream.events().at(-1)).toMatchObject({ type: 'error', code: 'stream_superseded' });
});
