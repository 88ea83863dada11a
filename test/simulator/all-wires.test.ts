import { test as base, expect } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { startSimulator } from '#simulator/start-simulator.ts';
import { opening } from '#test/harness/opening.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const { post } = makeHttpClient();
const about = { name: 'wire', apiKey: 'none-at-all', post };

/** Starts a simulator with Pawl's providers of each wire. Ends with its scope. */
async function askAllWires() {
  const simulator = await startSimulator();
  const origin = `http://127.0.0.1:${simulator.port}`;
  const providers = {
    openai: openaiProvider({ ...about, baseUrl: simulator.baseUrl }),
    responses: openaiResponsesProvider({ ...about, baseUrl: simulator.baseUrl }),
    anthropic: anthropicProvider({ ...about, baseUrl: origin }),
    gemini: geminiProvider({ ...about, baseUrl: origin }),
  };
  const { signal } = new AbortController();
  return {
    ask: (wire: Wire, change: Partial<RoundRequest>) =>
      providers[wire].ask({ ...someRequest, ...change }, signal, () => undefined),
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

const WIRES = ['openai', 'responses', 'anthropic', 'gemini'] as const;
type Wire = (typeof WIRES)[number];

const test = base.extend('model', opening(askAllWires));

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const tools = [Tool.parse({ name: 'get_weather', parameters })];
const call = (city: string) => ({ name: 'get_weather', arguments: { city } });
const rounds = [
  { reasoning: 'Hm.', say: 'Let me look.', tools: [call('Tokyo'), call('Bern')] },
  { tools: [call('Rome')] },
];

test.for(WIRES)('Pawl plays the rounds of a script over the wire %s', async (wire, { model }) => {
  const content = JSON.stringify({ sim: { rounds, answer: 'They say: {{results}}' } });
  const messages: Message[] = [{ role: 'user', content }];
  const said: unknown[] = [];

  for (let round = 1; round <= 3; round += 1) {
    const { text, calls, opaque, finishReason } = await model.ask(wire, { messages, tools, declaredTools: tools });
    said.push([text, finishReason, ...calls.map((one) => one.arguments)]);
    const results = calls.map(({ id, name, arguments: args }): Message => {
      return { role: 'tool', callId: id, name, content: `Sunny in ${JSON.parse(args).city}`, isError: false };
    });
    messages.push(
      { role: 'assistant', content: text, calls, ...(opaque ? { opaque: opaqueOf(opaque) } : {}) },
      ...results,
    );
  }

  expect(said).toEqual([
    ['Let me look.', 'tool_calls', '{"city":"Tokyo"}', '{"city":"Bern"}'],
    [null, 'tool_calls', '{"city":"Rome"}'],
    ['They say: Sunny in Tokyo\nSunny in Bern\nSunny in Rome', 'stop'],
  ]);
});

test.for(WIRES)('Pawl reads the usage and the faults of the wire %s', async (wire, { model }) => {
  const asked = (sim: object) => model.ask(wire, { messages: [{ role: 'user', content: JSON.stringify({ sim }) }] });
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 10,
    prompt_tokens_details: { cached_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };

  const reply = await asked({ answer: 'Sunny.', final: { usage } });

  expect(reply.usage).toMatchObject({ input_tokens: 20, output_tokens: 10, cached_input_tokens: 5 });
  await expect(asked({ final: { fault: { kind: 'status', status: 429 } } })).rejects.toMatchObject({
    code: 'provider_rate_limited',
  });
  for (const kind of ['cut', 'no_finish', 'error_event']) {
    await expect(asked({ answer: 'Sunny.', final: { fault: { kind } } })).rejects.toThrow();
  }
});

function opaqueOf(state: unknown) {
  return { provider: 'wire', state };
}
