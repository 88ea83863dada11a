import { connectPawl, PawlError, type TurnRequest } from 'pawl/client';
import { expect } from 'vitest';
import { createHarness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';
import { openCuttingProxy } from '../harness/links/cutting-proxy.ts';
import { takeAll } from './take-all.ts';

const hello: TurnRequest = { model: 'openai/test', input: scripted({ answer: 'Hello, Ada.' }) };
const call = (name: string) => scripted({ rounds: [{ tools: [{ name, arguments: { city: 'Rome' } }] }] });

test('a started turn has the ended turn as its result', async ({ harness, worker: _ }) => {
  const pawl = connectPawl({ baseUrl: `${harness.url}/` });

  const turn = await pawl.turns.start(hello);
  const ended = await turn.result();

  expect(ended).toMatchObject({ id: turn.id, status: 'completed', output: 'Hello, Ada.' });
  expect(ended.conversation_id).toBe(turn.conversationId);
  expect(await pawl.turns.get(turn.id)).toEqual(ended);
});

test('a start without an answer is repeated and starts a single turn', async ({ harness }) => {
  await using proxy = await openCuttingProxy(harness.url, [1, 20]);
  const pawl = connectPawl({ baseUrl: proxy.url });

  const { id } = await pawl.turns.start(hello);

  expect(proxy.count()).toBe(3);
  expect(await takeAll(pawl.turns.list())).toMatchObject([{ id }]);
});

test('a request to an unavailable server is retried with the same idempotency key', async () => {
  const answers = [
    { status: 503, headers: { 'retry-after': '0' } },
    { status: 429, body: { error: { type: 'rate_limit_error', code: 'too_many', message: 'Wait.', param: null } } },
    { status: 202, body: { id: 'turn_1', conversation_id: 'conv_1' } },
  ];
  await using server = await openExternalServer((number) => answers[number - 1] ?? null);

  const turn = await connectPawl({ baseUrl: server.url, apiKey: 'key_1' }).turns.start(hello);

  expect(turn).toMatchObject({ id: 'turn_1', conversationId: 'conv_1' });
  const sent = server.caught.map(({ headers, body }) => [headers['idempotency-key'], headers.authorization, body]);
  expect(sent).toEqual(
    Array(3).fill([expect.stringMatching(/^[0-9a-f-]{36}$/), 'Bearer key_1', JSON.stringify(hello)]),
  );
});

test('a server that requests a longer wait than patienceMs is not retried', async () => {
  await using server = await openExternalServer(() => ({ status: 503, headers: { 'retry-after': '60' } }));
  const pawl = connectPawl({ baseUrl: server.url });

  await expect(pawl.turns.get('turn_1')).rejects.toMatchObject({ status: 503, retryAfterMs: 60_000, retryable: true });
  expect(server.caught).toHaveLength(1);
});

test('two calls with the caller’s own key start a single turn', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const first = await pawl.turns.start(hello, { idempotencyKey: 'order-17' });
  const second = await pawl.turns.start(hello, { idempotencyKey: 'order-17' });
  const other = await pawl.turns.start(hello);

  expect(second.id).toBe(first.id);
  expect(other.id).not.toBe(first.id);
});

test('a refusal is an error with an instruction, and is not retried', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'mine:secret' } });
  const pawl = connectPawl({ baseUrl: harness.url, apiKey: 'secret' });

  const wrong = pawl.turns.start({ ...hello, temperature: 9 });

  await expect(wrong).rejects.toBeInstanceOf(PawlError);
  await expect(wrong).rejects.toMatchObject({
    ...{ status: 400, type: 'invalid_request_error', code: 'invalid_value', param: 'temperature', retryable: false },
    message: expect.stringContaining('`temperature` is not valid'),
  });
  await expect(connectPawl({ baseUrl: harness.url }).turns.get('turn_1')).rejects.toMatchObject({
    ...{ status: 401, code: 'invalid_api_key' },
  });
});

test('a server that is not Pawl, or not reachable, is reported as such', async () => {
  await using page = await openExternalServer(() => ({ status: 404, body: '<h1>Not here</h1>' }));
  const nowhere = connectPawl({ baseUrl: 'http://127.0.0.1:9', patienceMs: 0 });

  await expect(nowhere.turns.get('turn_1')).rejects.toMatchObject({
    ...{ name: 'PawlError', status: null, code: 'unreachable', retryable: true },
    message: 'Pawl does not answer at http://127.0.0.1:9. Check that Pawl runs there.',
  });
  await expect(connectPawl({ baseUrl: page.url }).turns.get('turn_1')).rejects.toMatchObject({
    ...{ status: 404, code: 'unexpected_answer', retryable: false },
  });
});

test('a client runs its own tools and submits their results', async ({ harness, worker: _ }) => {
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const turn = await connectPawl({ baseUrl: harness.url }).turns.start({ ...hello, tools, input: call('locate_user') });

  const { required_action: action } = await turn.settled();
  const [wanted] = action!.tool_outputs;
  await turn.submitToolOutputs([{ tool_call_id: wanted!.id, output: { city: 'Lisbon' } }]);
  const ended = await turn.result();

  expect(wanted).toMatchObject({ name: 'locate_user', arguments: { city: 'Rome' } });
  expect(ended.rounds[0]!.results).toMatchObject([{ status: 'success', content: '{"city":"Lisbon"}' }]);
  expect(await turn.output(wanted!.id)).toMatchObject({ output: '{"city":"Lisbon"}', truncated: false });
});

test('a person allows a call and denies another', async ({ harness, worker: _ }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const description = 'Sends a postcard to a city, once';
  const tools = [{ name: 'send_postcard', description, approval: 'always' } as const];
  const [allowed, denied] = await Promise.all(
    [1, 2].map(() => pawl.turns.start({ ...hello, tools, input: call('send_postcard') })),
  );

  for (const turn of [allowed!, denied!]) {
    const callId = (await turn.settled()).required_action!.approvals[0]!.id;
    await (turn === allowed ? turn.approve(callId) : turn.deny(callId, 'Too expensive.'));
  }

  expect((await allowed!.result()).rounds[0]!.results).toMatchObject([{ status: 'success', content: 'sent to Rome' }]);
  expect((await denied!.result()).rounds[0]!.results).toMatchObject([
    { status: 'error', error: { category: 'permission_denied', message: 'A person denied this call: Too expensive.' } },
  ]);
});

test('a second cancel of a turn has no effect', async ({ harness }) => {
  const turn = await connectPawl({ baseUrl: harness.url }).turns.start(hello);

  await turn.cancel();
  const again = await turn.cancel();

  expect(again.status).toBe('cancelled');
  await expect(turn.retry()).rejects.toMatchObject({ status: 409, code: 'turn_not_failed' });
});

test('a list continues from page to page', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) ids.unshift((await pawl.turns.start(hello)).id);
  await pawl.turns.attach(ids[0]!).cancel();

  const queued = await takeAll(pawl.turns.list({ status: 'queued', limit: 2 }));
  const rest = await takeAll(pawl.turns.list({ cursor: ids[2]! }));

  expect(queued.map(({ id }) => id)).toEqual(ids.slice(1));
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(3));
});

test('a conversation continues from turn to turn', async ({ harness, worker: _ }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const conversation = await pawl.conversations.create({ ...hello, instructions: 'You are brief.' });
  await conversation.turn!.result();
  const second = await pawl.conversations.attach(conversation.id).start({ input: scripted({ answer: 'Bye.' }) });
  await second.result();

  const messages = await conversation.messages();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(messages.at(-1)).toMatchObject({ content: 'Bye.', turn_id: second.id });
  expect(second.conversationId).toBe(conversation.id);
  expect(await conversation.get()).toMatchObject({ instructions: 'You are brief.', active_turn_id: null });
  expect(await takeAll(pawl.conversations.list())).toHaveLength(1);
  await conversation.delete();
  await expect(conversation.get()).rejects.toMatchObject({ status: 404 });
});

test('a conversation may be created without a turn, and any other route can be called', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });

  const { turn } = await pawl.conversations.create({ model: 'openai/test' });
  const models = await pawl.request<{ data: { id: string }[] }>('GET', '/v1/models');

  expect(turn).toBeNull();
  expect(models.data.map(({ id }) => id)).toContain('openai/*');
});

test('an aborted signal ends the wait, and not the turn', async ({ harness }) => {
  const turn = await connectPawl({ baseUrl: harness.url }).turns.start(hello);

  const waiting = turn.result({ signal: AbortSignal.timeout(50) });

  await expect(waiting).rejects.toMatchObject({ name: 'TimeoutError' });
  expect((await turn.get()).status).toBe('queued');
});

test('a base URL without a scheme is http, and a refusal does not show its password', async ({ harness }) => {
  const { host } = new URL(harness.url);

  expect(await takeAll(connectPawl({ baseUrl: host }).turns.list())).toEqual([]);
  for (const baseUrl of ['8080', 'ftp://127.0.0.1', 'http://me:secret@127.0.0.1', 'http://127.0.0.1/?a=1']) {
    const refusal = refusalOf(() => connectPawl({ baseUrl }));
    expect(refusal).toMatchObject({ code: 'invalid_base_url', param: 'baseUrl', status: null, retryable: false });
    expect(refusal.message).not.toContain('secret');
  }
});

test('a base URL with a path only uses the server of the page', async () => {
  const requested: string[] = [];
  const fetch = async (url: unknown) => {
    requested.push(String(url));
    return Response.json({ data: [], next_cursor: null });
  };

  for (const baseUrl of ['', '/', '/pawl/']) await takeAll(connectPawl({ baseUrl, fetch }).turns.list());

  expect(requested).toEqual(['/v1/turns', '/v1/turns', '/pawl/v1/turns']);
});

function refusalOf(act: () => unknown): PawlError {
  try {
    act();
  } catch (error) {
    if (error instanceof PawlError) return error;
  }
  throw new Error('It was not refused');
}
