import { expect } from 'vitest';
import { createAgent, setLabel } from '#test/api/agents/agents.ts';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../test.ts';
import { openaiClient, raised } from './openai-client.ts';

const instructions = 'You help {{customer}}.';
const input = scripted({ answer: 'Hello.' });
const sentLast = ({ modelRequests }: Harness) => modelRequests.at(-1)?.sent as Record<string, unknown>;
const systemOf = (harness: Harness) => JSON.stringify(sentLast(harness).messages);

test('prompt names an agent, a version or label, and variables', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const { id } = await createAgent(harness, { model: 'openai/of-agent', instructions, temperature: 0.25 });
  await setLabel(harness, 'support@production', { version: 1 });
  const client = openaiClient(harness, '/openai/v1');

  for (const prompt of [{ id: 'support' }, { id }, { id: 'support', version: '1' }, { id, version: 'production' }]) {
    const variables = { customer: 'Ada {{customer}}' };
    const response = await client.responses.create({ prompt: { ...prompt, variables }, input });
    const turn = await harness.findTurn(response.id.replace('resp_', 'turn_'));

    expect(response).toMatchObject({ model: 'openai/of-agent', output_text: 'Hello.', prompt: { id: prompt.id } });
    expect(turn.agent).toEqual({ id, name: 'support', version: 1 });
    expect(sentLast(harness)).toMatchObject({ model: 'of-agent', temperature: 0.25 });
    expect(systemOf(harness)).toContain('You help Ada {{customer}}.');
  }
});

test('model names an agent, also in chat completions and streams', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(harness, { model: 'openai/of-agent', instructions: 'Be brief.' });
  await setLabel(harness, 'support@production', { version: 1 });
  const client = openaiClient(harness);
  const messages = [{ role: 'user' as const, content: input }];

  const completion = await client.chat.completions.create({ model: 'agent/support@production', messages });
  expect(completion).toMatchObject({
    model: 'agent/support@production',
    choices: [{ message: { content: 'Hello.' } }],
  });
  expect(systemOf(harness)).toContain('Be brief.');

  const final = await client.responses.stream({ model: 'agent/support@1', input }).finalResponse();
  expect(final).toMatchObject({ model: 'agent/support@1', output_text: 'Hello.' });
  expect(sentLast(harness)).toMatchObject({ model: 'of-agent' });
});

test('fields of the request override fields of the agent', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(harness, {
    ...{ model: 'openai/of-agent', instructions: 'Be brief.', temperature: 0.25, top_p: 0.5, seed: 7 },
    tools: ['weather_lookup'],
  });
  const client = openaiClient(harness);
  const tools = [{ type: 'function' as const, name: 'own_tool', parameters: null, strict: null }];

  await client.responses.create({ model: 'agent/support', input });
  expect(sentLast(harness)).toMatchObject({
    ...{ model: 'of-agent', temperature: 0.25, top_p: 0.5, seed: 7 },
    tools: [{ function: { name: 'weather_lookup' } }],
  });

  const own = { model: 'openai/own', instructions: 'Be long.', temperature: 0.75, tools, input };
  await client.responses.create({ ...own, prompt: { id: 'support' } });
  expect(sentLast(harness)).toMatchObject({
    ...{ model: 'own', temperature: 0.75, top_p: 0.5, seed: 7 },
    tools: [{ function: { name: 'own_tool' } }],
  });
  expect(systemOf(harness)).toContain('Be long.');
  expect(systemOf(harness)).not.toContain('Be brief.');
});

test('model and prompt may name the same agent, and a limit of the request applies', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(harness, { model: 'openai/of-agent', max_output_tokens: 50 });
  await harness.call('PATCH', '/v1/agents/support', { body: { seed: 7 } });
  const client = openaiClient(harness);
  const both = { model: 'agent/support@1', prompt: { id: 'support' }, input };

  const response = await client.responses.create(both);
  expect((await harness.findTurn(response.id.replace('resp_', 'turn_'))).agent?.version).toBe(1);
  expect(sentLast(harness)).toMatchObject({ max_completion_tokens: 50 });

  await client.responses.create({ ...both, max_output_tokens: 500 });
  expect(sentLast(harness)).toMatchObject({ max_completion_tokens: 500 });
});

test('the caller answers calls of tools that the agent leaves to the client', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(harness, {
    model: 'openai/of-agent',
    tools: [{ name: 'ask_device', description: 'Asks the device' }],
  });
  const client = openaiClient(harness);
  const rounds = [{ tools: [{ id: 'call_1', name: 'ask_device', arguments: {} }] }];

  const asking = await client.responses.create({
    model: 'agent/support',
    input: scripted({ rounds, answer: 'Done.' }),
  });
  expect(asking).toMatchObject({ status: 'completed', output: [{ type: 'function_call', name: 'ask_device' }] });

  const output = { type: 'function_call_output' as const, call_id: 'call_1', output: 'on' };
  const next = { model: 'agent/support', previous_response_id: asking.id, input: [output] };
  expect(await client.responses.create(next)).toMatchObject({ status: 'completed' });
});

test('the schema of an agent is the format of the text', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  await createAgent(harness, { model: 'openai/of-agent', output_schema: { name: 'place', schema } });

  await openaiClient(harness).responses.create({ model: 'agent/support', input });

  expect(sentLast(harness)).toMatchObject({ response_format: { type: 'json_schema', json_schema: { name: 'place' } } });
});

test('the versions of a label with weights stay the same in a chain', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await createAgent(harness, { model: 'openai/of-agent' });
  await harness.call('PATCH', '/v1/agents/support', { body: { seed: 7 } });
  await setLabel(harness, 'support@test', { versions: { 1: 50, 2: 50 } });
  const client = openaiClient(harness);
  const versionOf = async ({ id }: { id: string }) =>
    (await harness.findTurn(id.replace('resp_', 'turn_'))).agent?.version;

  for (let chain = 0; chain < 4; chain += 1) {
    const first = await client.responses.create({ model: 'agent/support@test', input });
    const next = { model: 'agent/support@test', input, previous_response_id: first.id };
    expect(await versionOf(await client.responses.create(next))).toBe(await versionOf(first));
  }
});

test('agents and their labels are listed as models', async () => {
  await using harness = await createHarness();
  await createAgent(harness, { model: 'openai/of-agent' });
  await setLabel(harness, 'support@production', { version: 1 });
  const client = openaiClient(harness, '/openai/v1');

  const listed = (await client.models.list()).data.filter(({ owned_by }) => owned_by === 'pawl');

  expect(listed.map(({ id }) => id)).toEqual(['agent/support', 'agent/support@production']);
  expect(await client.models.retrieve('agent/support')).toMatchObject({ object: 'model', created: expect.any(Number) });
});

test.each([
  ['an unknown agent', '404 agent_not_found prompt.id', { prompt: { id: 'other' } }],
  ['an unknown version', '404 agent_not_found prompt.id', { prompt: { id: 'support', version: '9' } }],
  ['an unknown model of agents', '404 agent_not_found model', { model: 'agent/other' }],
  ['two agents', '400 mutually_exclusive_parameters prompt', { model: 'agent/a', prompt: { id: 'support' } }],
  ['no model', '400 missing_required_parameter model', {}],
  ['a missing variable', '400 missing_required_parameter prompt.variables.customer', { prompt: { id: 'support' } }],
  [
    'an unknown variable',
    '400 invalid_value prompt.variables.x',
    { prompt: { id: 'support', variables: { customer: 'Ada', x: 'y' } } },
  ],
  [
    'an image as a variable',
    '400 invalid_value prompt.variables.customer.type',
    { prompt: { id: 'support', variables: { customer: { type: 'input_image', image_url: 'http://x/y.png' } } } },
  ],
])('a request with %s is refused', async (_, refusal, given) => {
  await using harness = await createHarness();
  await createAgent(harness, { model: 'openai/of-agent', instructions });

  const error = await raised(openaiClient(harness).responses.create({ input, ...given } as never));

  expect(`${error.status} ${error.code} ${error.param}`).toBe(refusal);
});

test('a compaction uses the model of the agent, without its tools and schema', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const schema = { type: 'object', properties: {} };
  await createAgent(harness, {
    ...{ model: 'openai/of-agent', tools: ['weather_lookup'], tool_choice: 'required', instructions: 'Be brief.' },
    output_schema: { name: 'place', schema },
  });
  const body = { model: 'agent/support', input: [{ role: 'user', content: 'I am Ada.' }] };

  expect((await harness.call('POST', '/v1/responses/compact', { body })).status).toBe(200);

  expect(sentLast(harness)).toMatchObject({ model: 'of-agent' });
  expect(sentLast(harness)).not.toHaveProperty('tools');
  expect(sentLast(harness)).not.toHaveProperty('response_format');
});
