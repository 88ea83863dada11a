import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { StillRunning } from '#core/llm/interrupted.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Delta } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { messageItem, outputOf, responseObject, responsesEvent } from '#test/llm/responses-events.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

const { post } = makeHttpClient();
const { signal } = new AbortController();
const json = { 'content-type': 'application/json' };
const items = [messageItem(['It is sunny.'])];
const ended: Answer = { headers: json, body: [JSON.stringify(responseObject(outputOf(items)))] };
const running = (more: object = {}, headers: Record<string, string> = {}): Answer => ({
  headers: { ...json, ...headers },
  body: [JSON.stringify({ id: 'resp_1', object: 'response', status: 'in_progress', output: [], ...more })],
});
const refusal = (status: number): Answer => ({
  status,
  headers: json,
  body: [JSON.stringify({ error: { message: 'No.', type: 'invalid_request_error', param: null, code: null } })],
});

type Known = {
  known?: string | null;
  isPolled?: boolean;
  create?: () => Promise<void>;
  commit?: (id: string) => Promise<void>;
};

/** Asks in the background, with these answers of the server. Collects what happened in its order. */
async function ask(answers: Answer[], more: Known = {}) {
  const { known = null, isPolled = false, create = async () => {}, commit = async () => {} } = more;
  await using server = await startWireServer(...answers);
  const provider = openaiResponsesProvider({ name: 'openai', apiKey: 'sk', baseUrl: `${server.origin}/v1`, post });
  const happened: string[] = [];
  const background = {
    ...{ isStored: true, isPolled, known: () => known },
    create: async () => {
      happened.push('create');
      await create();
    },
    commit: async (id: string) => {
      happened.push(`commit ${id}`);
      await commit(id);
    },
  };
  const onDelta = ({ text }: Delta) => void happened.push(text);
  const times = { idleTimeoutMs: 200 };
  const reply = await provider
    .ask({ ...someRequest, background, times }, signal, onDelta)
    .catch((error: unknown) => error);
  return { reply, happened, paths: server.asked.map(({ path }) => path) };
}

const created = responsesEvent('response.created', {
  sequence_number: 0,
  response: { id: 'resp_1', object: 'response', status: 'queued' },
});
const delta = (text: string, sequence_number: number) =>
  responsesEvent('response.output_text.delta', { sequence_number, item_id: 'msg_1', output_index: 0, delta: text });

test('the id is committed before the first text', async () => {
  const { reply, happened } = await ask([
    { body: [created, delta('It is', 1), delta(' sunny.', 2)], ending: 'cut' },
    ended,
  ]);

  expect(happened).toEqual(['create', 'commit resp_1', 'It is', ' sunny.']);
  expect(reply).toMatchObject({ text: 'It is sunny.' });
});

test('no text is published if the id cannot be committed', async () => {
  const lost = new Error('lost');
  const commit = () => Promise.reject(lost);

  const { happened } = await ask([{ body: [created + delta('It is', 1)], ending: 'hang' }], { commit });

  expect(happened).toEqual(['create', 'commit resp_1']);
});

test('a broken stream continues after its last event', async () => {
  const first = { body: [created, delta('It is', 4)], ending: 'cut' as const };
  const second = { body: [delta(' sunny.', 5)], ending: 'cut' as const };

  const { happened, paths } = await ask([first, running(), second, ended]);

  expect(happened.slice(2)).toEqual(['It is', ' sunny.']);
  expect(paths.slice(1)).toEqual([
    `/v1/responses/resp_1?${STATE}`,
    `/v1/responses/resp_1?stream=true&starting_after=4&${STATE}`,
    `/v1/responses/resp_1?${STATE}`,
  ]);
});

test('a known response is read, and nothing is created', async () => {
  const { reply, happened, paths } = await ask([ended], { known: 'resp_1' });

  expect(reply).toMatchObject({ text: 'It is sunny.', finishReason: 'stop' });
  expect(happened).toEqual(['It is sunny.']);
  expect(paths).toEqual([`/v1/responses/resp_1?${STATE}`]);
});

const STATE = 'include%5B%5D=reasoning.encrypted_content';

const LEFT: [string, Answer[], number | null][] = [
  ['refuses the stream', [running({}, { 'openai-poll-after-ms': '7000' }), refusal(400)], 7000],
  ['sends no event for the idle time', [running(), { body: [created], ending: 'hang' as const }], null],
  ['sends no first byte of the stream', [running(), { body: [], ending: 'hang' as const }], null],
  ['sends only comments', [running(), { body: [': hi\n\n'], ending: 'drip' as const }], null],
  ['does not answer', [{ body: [], ending: 'hang' as const }], null],
  ['sends unrelated JSON', [{ headers: json, body: ['{"ok":true}'] }], null],
  ['answers 500', [refusal(500)], null],
  ['answers 429', [refusal(429)], null],
  ['breaks the connection', [{ ending: 'cut' as const }], null],
  ['sends a page', [{ headers: { 'content-type': 'text/html' }, body: ['<html>'] }], null],
  [
    'ends the stream three times without an event',
    [running(), { body: [': hi\n\n'] }, running(), { body: [': hi\n\n'] }, running()],
    null,
  ],
];

test.for(LEFT)('a known response is left if the server %s', async ([, answers, pollAfterMs]) => {
  const { reply } = await ask(answers, { known: 'resp_1' });

  expect(reply).toBeInstanceOf(StillRunning);
  expect(reply).toMatchObject({ response: { isQueued: false, pollAfterMs } });
});

test('a polled response is read once, without its stream', async () => {
  const { reply, paths } = await ask([running({ status: 'queued' })], { known: 'resp_1', isPolled: true });

  expect(reply).toMatchObject({ response: { isQueued: true } });
  expect(paths).toEqual([`/v1/responses/resp_1?${STATE}`]);
});

test.for([
  [404, 'provider_unavailable', 'later'],
  [401, 'provider_authentication_failed', 'never'],
] as const)('a known response that is answered with %i fails with %s', async ([status, code, kind]) => {
  const { reply } = await ask([refusal(status)], { known: 'resp_1' });

  expect(reply).toMatchObject({ code, retry: { kind } });
});

test('a server that answers a create as a whole is polled', async () => {
  const { reply, happened } = await ask([running({ status: 'queued' }), running({ status: 'queued' })]);

  expect(reply).toMatchObject({ response: { isQueued: true } });
  expect(happened).toEqual(['create', 'commit resp_1']);
});

test('a response that fails at once is committed too, so that it is deleted', async () => {
  const error = { code: 'server_error', message: 'The server had an error.' };
  const failed = responsesEvent('response.failed', { response: { id: 'resp_1', status: 'failed', error } });

  const failedNow = {
    headers: json,
    body: [JSON.stringify({ id: 'resp_1', object: 'response', status: 'failed', error })],
  };

  const { reply, happened } = await ask([{ body: [created + failed] }, failedNow]);

  expect(reply).toMatchObject({ retry: { kind: 'later' } });
  expect(happened).toEqual(['create', 'commit resp_1']);
});

test('a stream that is cut before its id is a failed attempt', async () => {
  const { reply, happened } = await ask([{ body: [': hi\n\n'], ending: 'cut' }]);

  expect(reply).toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
  expect(happened).toEqual(['create']);
});

test('an error event in the stream of a running response is read as a cut', async () => {
  const error = responsesEvent('error', { error: { type: 'server_error', code: 'server_error', message: 'Oops' } });

  const { reply, happened } = await ask([{ body: [created, delta('It is', 1), error] }, ended]);

  expect(reply).toMatchObject({ text: 'It is sunny.' });
  expect(happened).toEqual(['create', 'commit resp_1', 'It is']);
});

test('a server that refuses to include the state is read without it, also later', async () => {
  const refused: Answer = {
    ...{ status: 400, headers: json },
    body: [JSON.stringify({ error: { message: "Unknown parameter: 'include'.", type: 'invalid_request_error' } })],
  };

  const { reply, paths } = await ask([refused, running({ status: 'queued' })], { known: 'resp_1', isPolled: true });

  expect(reply).toMatchObject({ response: { isQueued: true } });
  expect(paths).toEqual([`/v1/responses/resp_1?${STATE}`, '/v1/responses/resp_1']);
});

test.for([
  ['create', { create: () => Promise.reject(new Error('57P01')) }],
  ['commit', { commit: () => Promise.reject(new Error('57P01')) }],
] as const)('a failed write at %s is no failure of the provider', async ([, more]) => {
  const { reply } = await ask([{ body: [created], ending: 'hang' }], more);

  expect(reply).not.toBeInstanceOf(ProviderFailed);
});
