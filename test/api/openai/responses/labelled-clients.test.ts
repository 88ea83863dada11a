import { createOpenAI } from '@ai-sdk/openai';
import { Agent, hostedMcpTool, OpenAIResponsesModel, run, setTracingDisabled, user } from '@openai/agents';
import { generateText, stepCountIs } from 'ai';
import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalMcpServer } from '#test/harness/servers/external-mcp-server.ts';
import { openaiClient } from './openai-client.ts';

const calls = ['weather_lookup', 'cities__look_up'].map((name) => ({ name, arguments: { city: 'Rome' } }));
const question = scripted({ rounds: [{ tools: calls }], answer: 'It is sunny.' });
const next = scripted({ answer: 'Still sunny.' });
const results = ['{"city":"Rome","temp":22,"condition":"sunny"}', 'Rome is a city'];
/** An empty address, which clients accept if their types require an address. */
const serverUrl = '';

function heard({ modelRequests }: Harness) {
  const messages = modelRequests.at(-1)?.body.messages ?? [];
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
}

test('the AI SDK offers tools by label, shows Pawl’s results, and refers to them later', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: { PAWL_MCP: JSON.stringify({ cities: { url: server.url } }) } });
  await using _worker = await startBackgroundWorker(harness);
  const openai = createOpenAI({ baseURL: `${harness.url}/v1`, apiKey: 'none' });
  const tools = {
    pawl: openai.tools.mcp({ serverLabel: 'pawl', serverUrl }),
    cities: openai.tools.mcp({ serverLabel: 'cities', serverUrl, allowedTools: { toolNames: ['look_up'] } }),
  };
  const asking = { model: openai.responses('test'), tools, stopWhen: stepCountIs(5) };

  const { text, steps, toolResults, response } = await generateText({ ...asking, prompt: question });
  const messages = [{ role: 'user' as const, content: question }, ...response.messages];
  const later = await generateText({ ...asking, messages: [...messages, { role: 'user', content: next }] });

  expect([text, steps.length, later.text]).toEqual(['It is sunny.', 1, 'Still sunny.']);
  expect(toolResults.map(({ toolName, providerExecuted }) => [toolName, providerExecuted])).toEqual([
    ['mcp.weather_lookup', true],
    ['mcp.look_up', true],
  ]);
  expect(heard(harness)).toEqual(results);
});

test('an agent of OpenAI’s SDK uses labelled tools, and sends its history back', async () => {
  await using server = await openExternalMcpServer();
  await using harness = await createHarness({ env: { PAWL_MCP: JSON.stringify({ cities: { url: server.url } }) } });
  await using _worker = await startBackgroundWorker(harness);
  setTracingDisabled(true);
  const tools = ['pawl', 'cities'].map((serverLabel) => hostedMcpTool({ serverLabel, serverUrl }));
  const model = new OpenAIResponsesModel(openaiClient(harness), 'test');
  const agent = new Agent({ name: 'Ada', instructions: 'Be brief.', model, tools });

  const first = await run(agent, question);
  const second = await run(agent, [...first.history, user(next)]);

  expect([first.finalOutput, second.finalOutput]).toEqual(['It is sunny.', 'Still sunny.']);
  expect(heard(harness)).toEqual(results);
});
