import { expect, test } from 'vitest';
import { bounded } from '#core/llm/bounded.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { finishReply } from '#core/llm/openai-responses/finish-reply.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import { startReply, takeEvent } from '#core/llm/openai-responses/reply-accumulator.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { takeHosted } from '#services/worker/round/take-hosted.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { messageItem, reasoningItem, responseObject, responseStream } from '#test/llm/responses-events.ts';
import { startWireServer } from '#test/llm/wire-server.ts';

type Item = { type: string } & Record<string, unknown>;

/** Returns an image in base64 that differs by its number. */
const png = (number: number) => Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, number]).toString('base64');
const urlOf = (number: number) => `data:image/png;base64,${png(number)}`;
const drawn = (number: number, more: object = {}): Item => ({
  ...{ type: 'image_generation_call', id: `ig_${number}`, status: 'completed', result: png(number) },
  ...{ output_format: 'png', revised_prompt: 'A bear', size: '1024x1024', ...more },
});
const plotted = (id: string, ...numbers: number[]): Item => ({
  ...{ type: 'code_interpreter_call', id, status: 'completed', code: 'plot()', container_id: 'cntr_1' },
  outputs: [{ type: 'logs', logs: 'done' }, ...numbers.map((each) => ({ type: 'image', url: urlOf(each) }))],
});
const { item: answer } = messageItem(['Look.']);
const { item: thought } = reasoningItem(['Hm.']);

function replyOf(output: object[]): Reply {
  const reply = startReply();
  takeEvent(reply, responseObject(output));
  return finishReply(reply, { provider: 'openai', toolNames: [] });
}

/** Returns the reply as a message of a later history. The worker has stored its images as blobs. */
function storedAs({ text, opaque, hosted }: Reply, lost: number[] = []): Message {
  const { blobs } = takeHosted({ text, ...(hosted && { hosted }) });
  const parts = blobs
    .filter((_, index) => !lost.includes(index))
    .map(({ mediaType, bytes }) => ({
      ...{ type: 'input_image' as const, image_url: `data:${mediaType};base64,${bytes.toString('base64')}` },
    }));
  const state: unknown = JSON.parse(JSON.stringify(opaque));
  const own = { opaque: { provider: 'openai', state }, hosted: hosted?.calls ?? [], parts };
  return { role: 'assistant', content: text, calls: [], ...own };
}

function sentBack(said: Message, { isKept = true } = {}): Item[] {
  const messages: Message[] = [{ role: 'user', content: 'Hi' }, said, { role: 'user', content: 'And?' }];
  const form = { ...fullForm(true), isKept };
  const body = renderRequest({ ...someRequest, messages }, { provider: 'openai', form });
  expect(checkOpenaiResponses(body, { reasons: () => true })).toEqual([]);
  return (body.input as unknown as Item[]).slice(1, -1);
}

const withoutIds = ({ id: _id, status: _status, ...rest }: Item) => rest;

test('images of a reply are parts at their place in its text', () => {
  const { hosted } = replyOf([drawn(1), answer, plotted('ci_1', 2, 3)]);

  expect(hosted?.images).toEqual([
    { url: urlOf(1), offset: 0 },
    { url: urlOf(2), offset: 5 },
    { url: urlOf(3), offset: 5 },
  ]);
});

test('the state of a reply has no data of images', () => {
  const { opaque } = replyOf([drawn(1), plotted('ci_1', 2)]);

  expect(JSON.stringify(opaque)).not.toContain(png(1).slice(0, 8));
  expect(opaque).toMatchObject({ items: [{ result: '' }, { outputs: [{ logs: 'done' }, { url: '' }] }] });
});

test('items with images are sent back unchanged, each with its own image', () => {
  const output = [thought, drawn(1), answer, plotted('ci_1', 2, 3), plotted('ci_2'), drawn(4)];

  const sent = sentBack(storedAs(replyOf(output)));

  expect(sent).toEqual([withoutIds(thought), drawn(1), withoutIds(answer), ...output.slice(3)]);
});

test.each([
  [{ result: png(1) }, 'image/png'],
  [{ result: '/9j/4AAQ', output_format: 'png' }, 'image/jpeg'],
  [{ result: png(1), output_format: 'webp' }, 'image/png'],
  [{ result: 'PHN2Zy8+', output_format: 'svg' }, 'image/svg+xml'],
  [{ result: 'AAAA', output_format: 'avif' }, 'image/avif'],
])('the media type of an image %j is %s', (more, mediaType) => {
  expect(replyOf([drawn(1, more)]).hosted?.images).toMatchObject([{ url: `data:${mediaType};base64,${more.result}` }]);
});

test('an image without its data is left out, and so is its reasoning', () => {
  const reply = replyOf([answer, thought, drawn(1)]);

  expect(sentBack(storedAs(reply, [0]))).toEqual([withoutIds(answer)]);
  expect(sentBack(storedAs(replyOf([plotted('ci_1', 1)]), [0]))).toEqual([plotted('ci_1')]);
});

test('an unusable image is left out and does not take the place of another image', () => {
  const odd = [drawn(1, { result: 'not base64!' }), drawn(2, { result: 'AAAA' }), drawn(3)];
  const broken = { ...plotted('ci_1', 4), outputs: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] };
  const reply = replyOf([...odd, broken, plotted('ci_2', 5)]);

  const { warnings } = takeHosted(reply);

  expect(warnings).toHaveLength(1);
  expect(sentBack(storedAs(reply))).toEqual([drawn(3), { ...broken, outputs: [] }, plotted('ci_2', 5)]);
});

test('an image call without an image and images by URL are sent back unchanged', () => {
  const empty = drawn(1, { status: 'failed', result: null });
  const remote = { ...plotted('ci_1'), outputs: [{ type: 'image', url: 'https://example.com/a.png' }] };

  const reply = replyOf([empty, drawn(2, { result: '' }), remote, drawn(3)]);

  expect(reply.hosted?.images).toHaveLength(1);
  expect(sentBack(storedAs(reply))).toEqual([empty, drawn(2, { result: null }), remote, drawn(3)]);
});

test('without its state, a reply is sent with notes, and its images follow', () => {
  const [message, images] = sentBack(storedAs(replyOf([drawn(1), answer])), { isKept: false });

  expect(message).toMatchObject({ type: 'message', role: 'assistant' });
  expect(JSON.stringify(message)).toMatch(/The provider ran image_generation.*The model made an image.*Look\./);
  expect(JSON.stringify(message)).not.toContain(png(1));
  expect(images).toMatchObject({
    role: 'user',
    content: [{ type: 'input_text' }, { type: 'input_image', image_url: `data:image/png;base64,${png(1)}` }],
  });
});

const { post } = makeHttpClient();

async function ask(body: string[]) {
  await using server = await startWireServer({ body });
  const provider = openaiResponsesProvider({ name: 'openai', apiKey: null, baseUrl: server.origin, post });
  return await bounded(provider, { timeoutMs: 60_000, idleTimeoutMs: 60_000 })
    .ask(someRequest, new AbortController().signal, () => undefined)
    .catch((error: unknown) => error as { code: string });
}

const large = (number: number, mebibytes: number) =>
  drawn(number, { result: png(number).slice(0, 8) + 'A'.repeat(mebibytes * 1024 * 1024) });
const streamOf = (items: Item[], last = items) => {
  const stream = responseStream(items.map((item) => ({ item })));
  return [...stream.slice(0, -1), ...responseStream(last.map((item) => ({ item }))).slice(-1)];
};

test('an event with an image above 8 MiB is a bad response', async () => {
  expect(await ask(streamOf([large(1, 8)]))).toMatchObject({ code: 'provider_bad_response' });
});

test('images that are larger than 8 MiB together leave a small state', async () => {
  const reply = (await ask(streamOf([large(1, 5), large(2, 5)], []))) as Reply;

  expect(reply.hosted?.images).toHaveLength(2);
  expect(JSON.stringify(reply.opaque).length).toBeLessThan(1_000);
});
