import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { OpenAI } from '@llamaindex/openai';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent, OpenAIChatCompletionsModel, Runner } from '@openai/agents';
import { streamText } from 'ai';
import { openaiClient } from '../api/openai/responses/openai-client.ts';

/** A prompt for a Pawl at `url`, and headers that the client sends with it. */
export type Asked = { url: string; prompt: string; headers?: Record<string, string> };

async function* throughOpenai({ url, prompt, headers }: Asked) {
  const body = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: prompt }] };
  for await (const { choices } of openaiClient({ url }).chat.completions.stream(body, { headers: headers ?? {} })) {
    yield choices[0]?.delta.content ?? '';
  }
}

async function* throughAgents({ url, prompt }: Asked) {
  const model = new OpenAIChatCompletionsModel(openaiClient({ url }), 'gpt-4o');
  const agent = new Agent({ name: 'Plain', model });
  const streaming = await new Runner({ tracingDisabled: true }).run(agent, prompt, { stream: true });
  yield* streaming.toTextStream();
}

async function* throughLangChain({ url, prompt, headers }: Asked) {
  const configuration = { baseURL: `${url}/v1`, ...(headers && { defaultHeaders: headers }) };
  const model = new ChatOpenAI({ model: 'gpt-4o', apiKey: 'any', maxRetries: 0, configuration });
  for await (const { text } of await model.stream(prompt)) yield text;
}

async function* throughLlamaIndex({ url, prompt }: Asked) {
  const llm = new OpenAI({ model: 'gpt-4o', apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: prompt }];
  for await (const { delta } of await llm.chat({ messages, stream: true })) yield delta;
}

async function* throughMastra({ url, prompt }: Asked) {
  const model = { id: 'pawl/gpt-4o' as const, url: `${url}/v1`, apiKey: 'any' };
  const agent = new MastraAgent({ id: 'plain', name: 'Plain', instructions: 'Be brief.', model, maxRetries: 0 });
  yield* (await agent.stream(prompt)).textStream;
}

async function* throughAiSdk({ url, prompt }: Asked) {
  const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: 'any' }).chat('gpt-4o');
  yield* streamText({ model, prompt, maxRetries: 0 }).textStream;
}

async function* throughOpenaiCompatible({ url, prompt }: Asked) {
  const model = createOpenAICompatible({ name: 'pawl', baseURL: `${url}/v1`, apiKey: 'any' })('gpt-4o');
  yield* streamText({ model, prompt, maxRetries: 0 }).textStream;
}

/** The pieces of a streamed text, as each client gives them. */
export const textStreams: Record<string, (asked: Asked) => AsyncIterable<string>> = {
  openai: throughOpenai,
  '@openai/agents': throughAgents,
  LangChain: throughLangChain,
  LlamaIndex: throughLlamaIndex,
  Mastra: throughMastra,
  '@ai-sdk/openai': throughAiSdk,
  '@ai-sdk/openai-compatible': throughOpenaiCompatible,
};
