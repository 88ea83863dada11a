import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateObject, generateText, stepCountIs, streamObject, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { gather } from '../api/openai/responses/clients/gather.ts';
import { scripted } from '../harness/scripted.ts';
import { startPawl } from './start-pawl.ts';
import { answered, history, parameters, time, twoRounds, weather } from './tool-loop.ts';

const tools = Object.fromEntries(
  [weather, time].map(({ run, name, description }) => [
    name,
    tool({ description, inputSchema: parameters, execute: run }),
  ]),
);
const person = z.object({ name: z.string(), age: z.number().nullable() });
const ada = { name: 'Ada', age: 36 };

const providers = {
  '@ai-sdk/openai': (baseURL: string) => createOpenAI({ baseURL, apiKey: 'any' }).chat('gpt-4o'),
  '@ai-sdk/openai-compatible': (baseURL: string) =>
    createOpenAICompatible({
      ...{ name: 'pawl', baseURL, apiKey: 'any' },
      ...{ includeUsage: true, supportsStructuredOutputs: true },
    })('gpt-4o'),
};

describe.each(Object.entries(providers))('%s', (_, modelOf) => {
  test('generateText and streamText give the same text and usage', async () => {
    await using pawl = await startPawl();
    const model = modelOf(pawl.baseURL);
    const prompt = scripted({ answer: 'One word after the other.', piece_chars: 4 });
    const asked = { model, prompt, instructions: 'Be brief.', temperature: 0.3, maxOutputTokens: 100, maxRetries: 0 };

    const generated = await generateText(asked);
    const streamed = streamText(asked);
    const pieces = await gather(streamed.textStream);

    expect(generated).toMatchObject({ text: 'One word after the other.', finishReason: 'stop', warnings: [] });
    expect(generated.response.id).toMatch(/^chatcmpl-/);
    expect(generated.usage.totalTokens).toBeGreaterThan(0);
    expect(pieces.join('')).toBe(generated.text);
    expect(await streamed.usage).toEqual(generated.usage);
    expect(pawl.lastSent()[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    expect(pawl.modelRequests[0]!.body).toMatchObject({ temperature: 0.3, max_completion_tokens: 100 });
  });

  test('tools are run by the caller in several steps, streamed or not', async () => {
    await using pawl = await startPawl();
    const asked = { model: modelOf(pawl.baseURL), tools, stopWhen: stepCountIs(5), prompt: twoRounds, maxRetries: 0 };

    const generated = await generateText(asked);
    expect(pawl.lastSent()).toMatchObject(history);
    const streamed = streamText(asked);
    const parts = await gather(streamed.stream);

    expect(generated).toMatchObject({ text: answered, warnings: [] });
    expect(generated.steps.map(({ toolResults }) => toolResults.length)).toEqual([2, 1, 0]);
    expect(await streamed.text).toBe(answered);
    expect(parts.filter(({ type }) => type === 'error' || type === 'tool-error')).toEqual([]);
    expect(pawl.lastSent()).toMatchObject(history);
  });

  test('generateObject and streamObject give an object of the schema', async () => {
    await using pawl = await startPawl();
    const model = modelOf(pawl.baseURL);
    const prompt = scripted({ answer: JSON.stringify(ada), piece_chars: 4 });

    const generated = await generateObject({ model, schema: person, prompt, maxRetries: 0 });
    const streamed = streamObject({ model, schema: person, prompt, maxRetries: 0 });
    const parts = await gather(streamed.partialObjectStream);

    expect(generated).toMatchObject({ object: ada, warnings: [] });
    expect(parts.at(-1)).toEqual(ada);
    expect(pawl.modelRequests[0]!.body.response_format).toMatchObject({ type: 'json_schema' });
  });

  test('a request that the provider refuses fails once', async () => {
    await using pawl = await startPawl();
    const prompt = scripted({ answer: 'Never.', final: { fault: { kind: 'status', status: 400 } } });

    const raised = await generateText({ model: modelOf(pawl.baseURL), prompt }).catch((error: unknown) => error);

    expect(APICallError.isInstance(raised)).toBe(true);
    expect(raised).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(pawl.modelRequests).toHaveLength(1);
  });
});
