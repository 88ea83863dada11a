import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { closedPort } from '#test/tools/servers.ts';
import { responsesOf } from './compliance/ask.ts';
import { openaiClient, raised } from './openai-client.ts';

type Item = OpenAI.Responses.ResponseInputItem;

const model = 'test';
const city = { city: 'Rome' };
const pawl = { type: 'mcp', server_label: 'pawl' } as const;
const cities = { type: 'mcp', server_label: 'cities', require_approval: 'never' } as const;
const locate = { type: 'function', name: 'locate', parameters: null, strict: null } as const;
const withMcp = (url: string) => ({ PAWL_MCP: JSON.stringify({ cities: { url } }) });
const asksAll = scripted({
  rounds: [
    {
      say: 'Let me look.',
      tools: ['weather_lookup', 'cities__look_up', 'cities__book'].map((name) => ({ name, arguments: city })),
    },
  ],
  answer: 'It is sunny.',
});
const answered = [
  { server_label: 'pawl', name: 'weather_lookup', output: '{"city":"Rome","temp":22,"condition":"sunny"}' },
  { server_label: 'cities', name: 'look_up', output: 'Rome is a city' },
].map((call) => ({ type: 'mcp_call', status: 'completed', arguments: '{"city":"Rome"}', error: null, ...call }));
const failed = {
  ...{ type: 'mcp_call', status: 'failed', server_label: 'cities', name: 'book', output: null },
  error: {
    type: 'mcp_tool_execution_error',
    content: [{ type: 'text', text: 'Tool execution failed (unknown): Rome is full\nDetails: city: Rome, beds: 0' }],
  },
};
const said = [{ type: 'message', content: [{ text: 'Let me look.' }] }, ...answered, failed];

describeQueue(({ redis }) => {
  test('Pawl runs labelled tools for waiting, streamed and background requests', async () => {
    await using server = await openExternalMcpServer();
    await using harness = await createHarness({ redis, env: withMcp(server.url) });
    await using _worker = await startBackgroundWorker(harness);
    const client = openaiClient(harness);
    const body = { model, input: asksAll, tools: [pawl, cities] };

    const waited = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    const { id } = await client.responses.create({ ...body, background: true });
    await harness.call('GET', `/v1/responses/${id}?wait=30`);

    for (const response of [waited, streamed, await client.responses.retrieve(id)]) {
      expect(response).toMatchObject({ status: 'completed', output: [...said, { type: 'message' }] });
      expect(response.output_text).toBe('Let me look.It is sunny.');
      expect(response.tools).toMatchObject([pawl, { ...cities, allowed_tools: null }]);
    }
    expect(server.calls.map(({ tool }) => tool).sort()).toEqual([
      'book',
      'book',
      'book',
      'look_up',
      'look_up',
      'look_up',
    ]);
    const offered = harness.modelRequests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(offered).toEqual(expect.arrayContaining(['weather_lookup', 'send_postcard', 'cities__look_up']));
  });
});

test('a stream sends the results of labelled tools in the order of their arrival', async () => {
  await using slow = await openExternalServer(() => null);
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: withMcp(server.url) });
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);
  const tools = ['post', 'cities__book', 'weather_lookup'].map((name) => ({ name, arguments: city }));
  const events = await client.responses.create({
    ...{ model, input: scripted({ rounds: [{ tools }] }), stream: true },
    tools: [httpTool('post', slow.url) as never, pawl, cities],
  });

  const received: string[] = [];
  let responseId = '';
  let known = 0;
  for await (const event of events) {
    if ('response' in event) responseId = event.response.id;
    if ('output_index' in event) received.push(`${event.type.replace('response.', '')} ${event.output_index}`);
    if (!/^output_item.done [12]$/.test(received.at(-1) ?? '')) continue;
    known += 1;
    if (known === 2) (await slow.arrival(1)).answer({ status: 200, body: 'posted' });
  }

  const begun = [0, 1, 2].flatMap((index) =>
    ['output_item.added', 'mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.in_progress'].map(
      (type) => `${type} ${index}`,
    ),
  );
  expect(received.slice(0, 12)).toEqual(begun);
  const results = received.slice(12, 18);
  expect(results.slice(-2)).toEqual(['mcp_call.completed 0', 'output_item.done 0']);
  const pairs = [`${results[0]}, ${results[1]}`, `${results[2]}, ${results[3]}`];
  expect(pairs.sort()).toEqual(['mcp_call.completed 2, output_item.done 2', 'mcp_call.failed 1, output_item.done 1']);
  const again = (await responsesOf(harness).follow(responseId)).flatMap((event) =>
    'output_index' in event ? [`${event.type.replace('response.', '')} ${event.output_index}`] : [],
  );
  expect(again).toEqual(received);
});

test('labelled tools and tool choices have their exact shape, in JSON and in streams', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: withMcp(server.url) });
  await using _worker = await startBackgroundWorker(harness);
  const { create, stream } = responsesOf(harness);
  const tools = [pawl, { ...cities, server_description: 'Cities', allowed_tools: { read_only: true } }, locate];

  for (const tool_choice of [
    'auto',
    { type: 'mcp', server_label: 'pawl' },
    { type: 'mcp', server_label: 'cities', name: 'look_up' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'mcp', server_label: 'pawl' }] },
  ]) {
    const { response } = await stream({ input: 'Rome?', tools, tool_choice });
    expect(response).toMatchObject({ status: 'completed', tools, tool_choice });
    const { output } = await create({ input: 'Rome?', tools, tool_choice });
    expect(output.map(({ type }) => type)).toContain('mcp_call');
  }
});

test('labelled tools run beside a client call, and the next response has all results', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: withMcp(server.url) });
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);
  const tools = ['locate', 'weather_lookup'].map((name) => ({ name, arguments: city, id: `call_${name}` }));

  const asked = await client.responses.create({
    ...{ model, input: scripted({ rounds: [{ tools }], answer: 'Done.' }), tools: [locate, pawl] },
  });
  const next = await client.responses.create({
    ...{ model, tools: [locate, pawl], previous_response_id: asked.id },
    input: [{ type: 'function_call_output', call_id: 'call_locate', output: 'Here' }],
  });

  expect(asked.output).toMatchObject([{ type: 'function_call', name: 'locate' }, answered[0]]);
  expect(next.output_text).toBe('Done.');
  expect(harness.modelRequests.at(-1)?.body.messages.slice(-2)).toMatchObject([
    { role: 'tool', content: 'Here' },
    { role: 'tool', content: answered[0]?.output },
  ]);
});

test('calls that Pawl ran may be sent back as items or references', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: withMcp(server.url) });
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);
  const body = { model, tools: [pawl, cities, httpTool('post', `http://127.0.0.1:${await closedPort()}/`) as never] };
  const calls = ['weather_lookup', 'cities__look_up', 'cities__book', 'post'].map((name) => ({
    name,
    arguments: city,
  }));
  const input = scripted({ rounds: [{ say: 'Let me look.', tools: calls }], answer: 'It is sunny.' });
  const heard = () =>
    harness.modelRequests
      .at(-1)
      ?.body.messages.slice(1)
      .map(({ role, content, tool_calls: asked }) => ({
        ...{ role, content, asked: asked?.map(({ function: { name, arguments: args } }) => [name, args]) },
      }));
  const question = { role: 'user' as const, content: scripted({ answer: 'Still sunny.' }) };

  const first = await client.responses.create({ ...body, input });
  await client.responses.create({ ...body, input: [question], previous_response_id: first.id });
  const chained = heard();
  const listed = { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'cities', tools: [] } as const;
  const items = [{ role: 'user', content: input }, listed, ...first.output, question] as Item[];
  const resent = await client.responses.create({ ...body, input: items, store: false });
  const sent = heard();
  const references = first.output.map(({ id }): Item => ({ type: 'item_reference', id: id ?? '' }));
  const referring = [{ role: 'user' as const, content: input }, ...references, question];
  const { id } = await client.responses.create({ ...body, input: referring });

  expect(chained).toHaveLength(7);
  expect([sent, heard()]).toEqual([chained, chained]);
  expect(resent.status).toBe('completed');
  const { data } = await client.responses.inputItems.list(id, { order: 'asc' });
  const shown = ({ id: _, ...item }: { id?: string }) => item;
  const ran = first.output.filter(({ type }) => type === 'mcp_call');
  expect(ran).toHaveLength(4);
  expect(data.filter(({ type }) => type === 'mcp_call').map(shown)).toEqual(ran.map(shown));
});

test('an unknown label or tool is refused before any work', async () => {
  await using harness = await createHarness({ env: withMcp(`http://127.0.0.1:${await closedPort()}/mcp`) });
  const client = openaiClient(harness);
  const refusal = (tool: object) => raised(client.responses.create({ model, input: 'Hi', tools: [tool as never] }));

  expect(await refusal({ ...cities, server_label: 'towns' })).toMatchObject({
    ...{ status: 400, code: 'unknown_mcp_server', param: 'tools[0].server_label' },
  });
  expect(await refusal({ ...pawl, allowed_tools: ['nothing'] })).toMatchObject({
    ...{ status: 400, code: 'unknown_tool', param: 'tools[0].allowed_tools[0]' },
  });
  expect(await refusal(cities)).toMatchObject({ status: 503, code: 'mcp_server_unavailable', param: 'tools[0]' });
  expect((await harness.call<{ data: unknown[] }>('GET', '/v1/turns')).body.data).toEqual([]);
});
