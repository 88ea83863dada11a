import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { OpenAI } from '@llamaindex/openai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, OpenAIChatCompletionsModel, Runner } from '@openai/agents';
import { generateText } from 'ai';
import { expect, test } from 'vitest';
import { openaiClient } from '../api/openai/responses/openai-client.ts';
import { scripted } from '../harness/scripted.ts';
import { type Pawl, startPawl } from './start-pawl.ts';

/** A field of the body that OpenAI's API does not have. The operator of Pawl has this tool. */
const pawl = { tools: ['weather_lookup'] };

/** Each client's way to send the field (docs/clients.md), and the text of its answer. */
const clients: Record<string, (at: Pawl, prompt: string) => Promise<unknown>> = {
  openai: async (at, prompt) => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: prompt }], pawl };
    return (await openaiClient(at).chat.completions.create(body)).choices[0]?.message.content;
  },
  LangChain: async ({ baseURL }, prompt) => {
    const configuration = { baseURL };
    return (
      await new ChatOpenAI({ model: 'gpt-4o', apiKey: 'any', configuration, modelKwargs: { pawl } }).invoke(prompt)
    ).text;
  },
  LlamaIndex: async ({ baseURL }, prompt) => {
    const additionalChatOptions: object = { pawl };
    const llm = new OpenAI({ model: 'gpt-4o', apiKey: 'any', baseURL, additionalChatOptions });
    return (await llm.chat({ messages: [{ role: 'user', content: prompt }] })).message.content;
  },
  Mastra: async ({ baseURL }, prompt) => {
    const model = { id: 'pawl/gpt-4o' as const, url: baseURL, apiKey: 'any' };
    const agent = new MastraAgent({ id: 'guide', name: 'Guide', instructions: 'Be brief.', model });
    return (await agent.generate(prompt, { providerOptions: { pawl: { pawl } } })).text;
  },
  '@ai-sdk/openai-compatible': async ({ baseURL }, prompt) => {
    const model = createOpenAICompatible({ name: 'pawl', baseURL, apiKey: 'any' })('gpt-4o');
    return (await generateText({ model, prompt, providerOptions: { pawl: { pawl } } })).text;
  },
  '@openai/agents': async (at, prompt) => {
    const model = new OpenAIChatCompletionsModel(openaiClient(at), 'gpt-4o');
    const agent = new Agent({ name: 'Guide', model, modelSettings: { providerData: { pawl } } });
    return (await new Runner({ tracingDisabled: true }).run(agent, prompt)).finalOutput;
  },
};

test.each(Object.entries(clients))('%s gets the answer of a completion with tools that Pawl runs', async (_, ask) => {
  await using at = await startPawl();
  const call = { name: 'weather_lookup', arguments: { city: 'Rome' } };

  const text = await ask(at, scripted({ rounds: [{ say: 'I look.', tools: [call] }], answer: 'It says: {{results}}' }));

  expect(text).toBe('I look.\n\nIt says: {"city":"Rome","temp":22,"condition":"sunny"}');
});
