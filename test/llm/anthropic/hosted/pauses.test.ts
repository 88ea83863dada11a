import { expect, test } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { answer, askHosted, found, serverCall, startHostedServer, words } from './hosted-server.ts';

const pause = { stop: 'pause_turn' };
const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };

test('a paused search gets its result in the next request, and is one hosted call', async () => {
  await using server = await startHostedServer(
    answer([words('Let me see. '), words(''), serverCall('s', 'web_search', { query: 'x' })], pause),
    answer([found('s', 'https://a.example'), words('Found it.')]),
  );
  const { ask, deltas } = askHosted(server);

  const reply = await ask();

  const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } };
  expect(server.refused).toEqual([]);
  expect(server.asked[1]).toEqual({
    ...server.asked[0],
    messages: [...server.asked[0]!.messages, { role: 'assistant', content: [words('Let me see. '), call] }],
  });
  expect(reply).toMatchObject({
    text: 'Let me see. \n\nFound it.',
    finishReason: 'stop',
    requests: 2,
    usage: { input_tokens: 20, output_tokens: 10 },
    hosted: { calls: [{ id: 's', status: 'completed', input: { query: 'x' }, offset: 'Let me see. '.length }] },
  });
  expect(deltas.flatMap((delta) => (delta.kind === 'hosted-call' ? [delta.call.status] : []))).toEqual([
    'in_progress',
    'completed',
  ]);
});

test('a paused reply is sent back without a thought or white space at its end', async () => {
  await using server = await startHostedServer(answer([words('So: \n'), thought], pause), answer([words('yes.')]));

  const reply = await askHosted(server).ask();

  expect(server.refused).toEqual([]);
  expect(server.asked[1]!.messages.at(-1)).toEqual({ role: 'assistant', content: [words('So:')] });
  expect(reply.text).toBe('So: \n\n\nyes.');
});

test('a reply that pauses after 10 continuations ends with its text so far', async () => {
  await using server = await startHostedServer(answer([words('.')], pause));

  const reply = await askHosted(server).ask();

  expect(reply).toMatchObject({ text: '.'.repeat(11), finishReason: 'length', finishReasonRaw: 'pause_turn' });
  expect(reply.requests).toBe(11);
  expect(server.asked).toHaveLength(11);
});

test('a reply that always pauses keeps its hosted calls without a text', async () => {
  const rounds = Array.from({ length: 11 }, (_, at) =>
    answer([serverCall(`s${at}`, 'web_search', { query: 'x' }), found(`s${at}`)], pause),
  );
  await using server = await startHostedServer(...rounds);

  const reply = await askHosted(server).ask();

  expect(server.refused).toEqual([]);
  expect(reply).toMatchObject({ text: null, finishReason: 'length' });
  expect(reply.hosted!.calls.map(({ id }) => id)).toEqual(rounds.map((_, at) => `s${at}`));
});

test.for([
  ['thoughts', [thought], 1, 'a pause without a text'],
  ['nothing', [], 1, 'a pause without a text'],
  [
    'calls of other tools',
    [serverCall('s', 'tool_search_tool_bm25', { query: 'x' })],
    11,
    'no text after 11 requests: set `max_uses` in the options of the hosted tools',
  ],
] as const)('a reply that always pauses with %s fails the attempt', async ([, blocks, requests, reason]) => {
  await using server = await startHostedServer(answer([...blocks] as object[], pause));

  const asking = askHosted(server).ask();

  await expect(asking).rejects.toMatchObject({
    code: 'provider_bad_response',
    retry: { kind: 'later' },
    message: `anthropic sent an unusable reply (${reason}).`,
  });
  expect(server.asked).toHaveLength(requests);
});

test('an abort ends the continuation of a paused reply', async () => {
  const stop = new AbortController();
  await using server = await startWireServer({ body: answer([words('So')], pause) }, { ending: 'hang' });
  const { post } = makeHttpClient();
  const provider = anthropicProvider({ name: 'anthropic', apiKey: 'key', baseUrl: server.origin, post });

  const asking = provider.ask(someRequest, stop.signal, () => queueMicrotask(() => stop.abort(new Error('Stop.'))));

  await expect(asking).rejects.toThrow('Stop.');
});

test('a refused continuation of a paused reply fails the attempt', async () => {
  await using server = await startHostedServer(answer([words('So')], pause), { status: 529, refuses: 'Overloaded' });

  await expect(askHosted(server).ask()).rejects.toMatchObject({ code: 'provider_overloaded' });
});
