import { expect } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { closedPort } from '#test/tools/servers.ts';
import { test } from '../test.ts';
import {
  answerOf,
  city,
  clientTool,
  completing,
  scriptedUser,
  startedTurn,
  toolMessage,
  turnIdOf,
  user,
} from './completing.ts';
import { contentOf, deltasOf, openCompletionStream } from './completion-stream.ts';

const calls = (...names: string[]) => names.map((name) => ({ name, arguments: city, id: `call_${name}` }));
const asking = (...names: string[]) => scriptedUser({ rounds: [{ tools: calls(...names) }], answer: '{{results}}' });

describeQueue(({ redis }) => {
  test('Pawl runs a server-side tool, an HTTP tool and an MCP tool in one completion', async () => {
    await using server = await openExternalServer(() => ({ status: 200, body: 'posted' }));
    await using mcp = await openExternalMcpServer();
    const env = { PAWL_MCP: JSON.stringify({ cities: { url: mcp.url } }) };
    await using harness = await createHarness({ redis, env });
    await using _worker = await startBackgroundWorker(harness);
    const { complete } = completing(harness);
    const tools = ['weather_lookup', 'cities__look_up', httpTool('post', server.url)];

    const { choices, usage } = await complete({
      ...{ messages: [asking('weather_lookup', 'cities__look_up', 'post')], pawl: { tools } },
    });

    expect(choices[0]).toMatchObject({ finish_reason: 'stop' });
    expect(choices[0]?.message).not.toHaveProperty('tool_calls');
    expect(choices[0]?.message.content?.split('\n')).toEqual([
      ...['{"city":"Rome","temp":22,"condition":"sunny"}', 'Rome is a city', 'posted'],
    ]);
    expect(harness.modelRequests[0]?.body.tools?.map((tool) => tool.function.name)).toEqual([
      ...['weather_lookup', 'cities__look_up', 'post'],
    ]);
    expect(usage?.total_tokens).toBeGreaterThan(0);
    expect(server.caught).toHaveLength(1);
  });
});

test.each([
  ['allow', 'paid', 1],
  ['deny', /[Nn]ot today/, 0],
])('a completion waits for an approval until a person decides %s', async (decision, said, requests) => {
  await using server = await openExternalServer(() => ({ status: 200, body: 'paid' }));
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { complete } = completing(harness);
  const tools = [httpTool('pay', server.url, { approval: 'always' })];

  const answering = complete({ messages: [asking('pay')], pawl: { tools } });
  const id = await startedTurn(harness);
  await waitUntil(async () => expect((await harness.findTurn(id)).status).toBe('requires_action'));
  const running = await harness.call<{ choices: object[] }>(
    'GET',
    `/v1/chat/completions/${id.replace('turn_', 'chatcmpl-')}`,
  );
  const approvals = [{ tool_call_id: 'call_pay', decision, ...(decision === 'deny' && { reason: 'Not today.' }) }];
  const { status } = await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });

  const { choices } = await answering;
  expect(status).toBe(200);
  expect(running.body.choices).toMatchObject([{ finish_reason: null }]);
  expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.stringMatching(said) } });
  expect(server.caught).toHaveLength(requests);
});

test('a stream stays open while it waits for an approval beside a client call', async () => {
  await using server = await openExternalServer(() => ({ status: 200, body: 'paid' }));
  await using harness = await createHarness();
  const messages = [scriptedUser({ rounds: [{ say: 'Let me pay.', tools: calls('pay', 'locate') }] })];
  const tools = [httpTool('pay', server.url, { approval: 'always' })];
  const body = { messages, tools: [clientTool('locate')], pawl: { tools } };

  const stream = await openCompletionStream(harness, { body });
  await stream.until((chunks) => chunks.length > 0);
  const id = turnIdOf(stream.chunks()[0]!.id);
  await harness.workUntilIdle();
  await stream.until((chunks) => contentOf(chunks) === 'Let me pay.');
  const waiting = await harness.findTurn(id);
  const approvals = [{ tool_call_id: 'call_pay', decision: 'allow' }];
  await harness.call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  await harness.workUntilIdle();
  await stream.over;

  expect(waiting.status).toBe('requires_action');
  expect(server.caught).toHaveLength(1);
  expect(deltasOf(stream.chunks()).flatMap(({ tool_calls: asked = [] }) => asked)).toMatchObject([
    { index: 0, id: 'call_locate', function: { name: 'locate' } },
  ]);
  expect(stream.chunks().at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

test('Pawl runs its own calls of a reply first, and shows only the client’s calls', async ({ harness, worker: _ }) => {
  const { complete, lastSent, turnOf } = completing(harness);
  const messages = [asking('locate', 'weather_lookup')];
  const body = { tools: [clientTool('locate')], pawl: { tools: ['weather_lookup'] } };

  const first = await complete({ messages, ...body });
  const { rounds } = await turnOf(first);
  const again = await complete({
    messages: [...messages, answerOf(first), toolMessage('call_locate', 'Here')],
    ...body,
  });

  expect(first.choices).toMatchObject([{ finish_reason: 'tool_calls' }]);
  expect(first.choices[0]?.message.tool_calls?.map(({ id }) => id)).toEqual(['call_locate']);
  expect(rounds[0]?.results).toMatchObject([{ status: 'handed_over' }, { status: 'success' }]);
  expect(again.choices).toMatchObject([{ finish_reason: 'stop', message: { content: 'Here' } }]);
  expect(lastSent().messages).toHaveLength(3);
});

test('a completion with previous_completion_id also sends the calls that Pawl ran', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);
  const body = { tools: [clientTool('locate')], pawl: { tools: ['weather_lookup'] } };

  const first = await complete({ messages: [asking('locate', 'weather_lookup')], ...body });
  const next = await complete({
    ...{ messages: [toolMessage('call_locate', 'Here')], tools: body.tools },
    pawl: { ...body.pawl, previous_completion_id: first.id },
  });

  expect(next.choices[0]?.message.content?.split('\n')).toEqual([
    ...['Here', '{"city":"Rome","temp":22,"condition":"sunny"}'],
  ]);
  expect(lastSent().messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
});

test('a completion offers tools of the operator only if the request names them', async ({ harness, worker: _ }) => {
  const { complete, lastSent } = completing(harness);

  await complete({ messages: [user('Rome?')] });

  expect(lastSent()).not.toHaveProperty('tools');
});

test.each([
  ['invalid_tool', { tools: [clientTool('weather_lookup')], pawl: { tools: ['weather_lookup'] } }],
  ['unknown_tool', { pawl: { tools: ['weather'] } }],
  ['egress_blocked', { pawl: { tools: [httpTool('post', 'http://10.0.0.1/')] } }],
])('pawl.tools are refused with %s: %j', async (code, body) => {
  await using harness = await createHarness();

  const error = await completing(harness).refused({ messages: [asking('weather_lookup')], ...body });

  expect(error).toMatchObject({ status: 400, code });
  expect(error.param).toMatch(/tools\[0\]/);
});

test('an unavailable MCP server fails a create with 503 and the path of its tool', async () => {
  const env = { PAWL_MCP: JSON.stringify({ cities: { url: `http://127.0.0.1:${await closedPort()}/mcp` } }) };
  await using harness = await createHarness({ env });
  const body = { messages: [user('Rome?')], pawl: { tools: ['weather_lookup', 'cities__look_up'] } };

  for (const stream of [false, true]) {
    const error = await completing(harness).refused({ ...body, stream });
    expect(error).toMatchObject({ status: 503, code: 'mcp_server_unavailable', param: 'pawl.tools[1]' });
  }
  expect((await harness.call<{ data: [] }>('GET', '/v1/turns')).body.data).toEqual([]);
});

test('a streamed completion separates the texts of its rounds by a blank line', async ({ harness, worker: _ }) => {
  const { completions } = completing(harness);
  const rounds = [{ say: 'One.', tools: calls('weather_lookup') }, { tools: calls('note_visit') }];
  const messages = [scriptedUser({ rounds, answer: 'Two.' })];
  const body = { model: 'test', messages, pawl: { tools: ['weather_lookup', 'note_visit'] } };

  const final = await completions.stream(body as never).finalChatCompletion();

  expect(final.choices[0]?.message.content).toBe('One.\n\nTwo.');
  expect((await completions.retrieve(final.id)).choices[0]?.message.content).toBe('One.\n\nTwo.');
});
