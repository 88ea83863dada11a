import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer, type ReceivedCall } from '#test/harness/servers/external-mcp-server.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { refusalOf } from '../../api/refusals.ts';
import { closedPort } from '../../tools/servers.ts';

const city = { city: 'Tokyo' };
const oddName = 'cities__odd_name_bf2eb8ac';
const pawlMcp = (url: string) => ({ env: { PAWL_MCP: JSON.stringify({ cities: { url } }) } });
const definition = (more: Record<string, unknown>) => ({
  ...{ name: 'cities__look_up', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
  ...{ execution: { kind: 'mcp', server: 'cities' }, ...more },
});

async function callAll(harness: Harness, tools: unknown[], calls: object[]): Promise<TurnResource> {
  return harness.runTurn({ input: scripted({ rounds: [{ tools: calls as never }] }), tools });
}

test('tools of an MCP server are listed beside server-side tools', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));

  const list = () => harness.call<{ data: { name: string }[] }>('GET', '/v1/tools');
  // A list waits only a moment for a slow server.
  await waitUntil(async () => expect((await list()).body.data).toHaveLength(9));
  const { status, body } = await list();

  expect(status).toBe(200);
  expect(body.data.map(({ name }) => name)).toEqual([
    ...['weather_lookup', 'send_postcard', 'note_visit'],
    ...['cities__book', 'cities__look_up', 'cities__measure', oddName, 'cities__visit', 'cities__wait'],
  ]);
  expect(body.data[4]).toMatchObject({ execution: { kind: 'mcp', server: 'cities' }, effect: 'none' });
});

test('a turn calls MCP tools by name, and the model reads text and structured content', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  const tools = ['cities__look_up', 'cities__measure', 'cities__book', 'weather_lookup'];

  const turn = await callAll(
    harness,
    tools,
    tools.map((name) => ({ name, arguments: city })),
  );

  expect(turn.status).toBe('completed');
  expect(harness.modelRequests[1]?.body.messages.slice(-4).map(({ content }) => content)).toEqual([
    'Tokyo is a city',
    '{"city":"Tokyo","celsius":22}',
    'Tool execution failed (unknown): Tokyo is full\nDetails: city: Tokyo, beds: 0',
    '{"city":"Tokyo","temp":22,"condition":"sunny"}',
  ]);
});

test('an object with the name of an MCP tool defines that tool with its own rules', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));

  const tools = [{ name: 'cities__look_up', timeout_ms: 3_000 }];
  const turn = await callAll(harness, tools, [{ name: 'cities__look_up', arguments: city }]);

  expect(turn.status).toBe('completed');
  expect(externalServer.calls).toHaveLength(1);
});

test('an MCP tool can be given as an object with its own rules and name', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  const bare = definition({ name: 'look_up', description: 'Short' });

  const turn = await callAll(
    harness,
    [bare, definition({ approval: 'always' })],
    [
      { name: 'look_up', arguments: city },
      { name: 'cities__look_up', arguments: city },
    ],
  );

  expect(turn.status).toBe('requires_action');
  expect(turn.rounds[0]?.results).toMatchObject([{ content: 'Tokyo is a city' }, { status: 'pending' }]);
});

test('arguments that break the schema of a listed MCP tool do not reach its server', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));

  const turn = await callAll(harness, ['cities__look_up'], [{ name: 'cities__look_up', arguments: { city: 5 } }]);

  expect(turn.rounds[0]?.results[0]?.error?.category).toBe('invalid_arguments');
  expect(externalServer.calls).toHaveLength(0);
});

test('the model reads an error during an outage of the MCP server, and calls it later', async () => {
  const externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  const rounds = [1, 2].map(() => ({ tools: [{ name: 'cities__look_up', arguments: city }] }));
  const tools = [definition({ effect: 'none', retry: { max_attempts: 1 } })];
  const { id } = await harness.startTurn({ input: scripted({ rounds }), tools });
  await harness.call('GET', '/v1/tools');
  await externalServer[Symbol.asyncDispose]();

  for (let step = 1; step <= 3; step += 1) await harness.workOnce();
  await using _again = await openExternalMcpServer({ port: externalServer.port });
  await harness.workUntilIdle();

  const turn = await harness.findTurn(id);
  expect(turn.status).toBe('completed');
  expect(turn.rounds.flatMap(({ results }) => results)).toMatchObject([
    { status: 'error', error: { category: 'network_error' } },
    { status: 'success', content: 'Tokyo is a city' },
  ]);
});

test('an at_most_once MCP call without an answer is outcome_unknown and not repeated', async () => {
  const externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  const tools = ['cities__wait'];
  const { id } = await harness.startTurn({
    input: scripted({ rounds: [{ tools: [{ name: 'cities__wait' }] }] }),
    tools,
  });

  const working = harness.workUntilIdle();
  await externalServer.arrival(1);
  await externalServer[Symbol.asyncDispose]();
  await working;

  const turn = await harness.findTurn(id);
  expect(turn.status).toBe('completed');
  expect(turn.rounds[0]?.results).toMatchObject([{ error: { category: 'outcome_unknown' }, attempts: 1 }]);
  expect(externalServer.calls).toHaveLength(1);
});

test('a cancel reaches the worker and the MCP server', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  await using _worker = await startBackgroundWorker(harness, { beats: false });
  const input = scripted({ rounds: [{ tools: [{ name: 'cities__wait' }] }] });
  const { id } = await harness.startTurn({ input, tools: ['cities__wait'] });
  const call: ReceivedCall = await externalServer.arrival(1);

  const { body } = await harness.call<TurnResource>('POST', `/v1/turns/${id}/cancel`);
  await call.left;

  expect(body).toMatchObject({
    status: 'cancelled',
    rounds: [{ results: [{ error: { category: 'outcome_unknown' } }] }],
  });
});

test('an unknown MCP server, an unknown tool and an invalid name are refused', async () => {
  await using externalServer = await openExternalMcpServer();
  await using harness = await createHarness(pawlMcp(externalServer.url));
  const refusal = (tool: unknown) =>
    refusalOf(harness, '/v1/turns', { model: 'openai/test', input: 'Hi', tools: ['weather_lookup', tool] });

  expect([
    await refusal('cities__nothing'),
    await refusal('cities__odd.name'),
    await refusal('nobody__look_up'),
    await refusal(definition({ execution: { kind: 'mcp', server: 'unknown' } })),
    await refusal(definition({ name: 'cities__odd.name' })),
  ]).toEqual([
    '400 unknown_tool: tools[1]',
    '400 unknown_tool: tools[1]',
    '400 unknown_tool: tools[1]',
    '400 unknown_mcp_server: tools[1].execution.server',
    '400 invalid_tool: tools[1].name',
  ]);
});

test('tools of an unreachable MCP server are not listed, and naming them is refused', async () => {
  const port = await closedPort();
  await using harness = await createHarness(pawlMcp(`http://127.0.0.1:${port}/mcp`));
  const body = { model: 'openai/test', tools: ['cities__look_up'] };

  const listed = await harness.call<{ data: unknown[] }>('GET', '/v1/tools');
  const refusal = await refusalOf(harness, '/v1/conversations', body);
  await using externalServer = await openExternalMcpServer({ port });
  const accepted = await refusalOf(harness, '/v1/conversations', body);
  await externalServer[Symbol.asyncDispose]();
  const known = await refusalOf(harness, '/v1/turns', { ...body, input: 'Hi' });

  expect([listed.status, listed.body.data.length]).toEqual([200, 3]);
  expect([refusal, accepted, known]).toEqual(['503 mcp_server_unavailable: tools[0]', '201 accepted', '202 accepted']);
});
