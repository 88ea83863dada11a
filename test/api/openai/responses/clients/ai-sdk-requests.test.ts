import type { OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import { APICallError, generateObject, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { expect } from 'vitest';
import { z } from 'zod';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '../../test.ts';
import { aiSdkProvider } from './ai-sdk-provider.ts';
import { gather } from './gather.ts';

const lastBody = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body;

const at = z.object({ city: z.string() });
const get_time = tool({ description: 'Tells the time', inputSchema: at, execute: async () => 'Noon' });
const person = z.object({ name: z.string(), age: z.number().nullable() });
const ada = { name: 'Ada', age: 36 };

/** Returns the error of a call that must fail. */
async function raised(call: Promise<unknown>): Promise<APICallError> {
  const error = await call.then(
    () => new Error('The call was answered and did not fail.'),
    (thrown: unknown) => thrown,
  );
  if (APICallError.isInstance(error)) return error;
  throw error;
}

test('the AI SDK generates and streams an object by its schema, also beside tools', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const prompt = scripted({ answer: JSON.stringify(ada), piece_chars: 4 });
  const call = { name: 'get_time', arguments: { city: 'Rome' } };

  const generated = await generateObject({ model, schema: person, prompt });
  const output = Output.object({ schema: person });
  const streamed = streamText({ model, output, prompt });
  const partial = await gather(streamed.partialOutputStream);
  const beside = await generateText({
    ...{ model, output, tools: { get_time }, stopWhen: stepCountIs(3) },
    prompt: scripted({ rounds: [{ tools: [call] }], answer: JSON.stringify(ada) }),
  });
  const free = await generateText({ model, output: Output.json(), prompt: scripted({ answer: '{"any":"thing"}' }) });

  expect(generated).toMatchObject({ object: ada, warnings: [] });
  expect(partial.at(-1)).toEqual(ada);
  expect(beside.output).toEqual(ada);
  expect(free.output).toEqual({ any: 'thing' });
  expect(lastBody(harness).response_format).toEqual({ type: 'json_object' });
  expect(harness.modelRequests[0]!.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'response', strict: true, schema: { required: ['name', 'age'] } },
  });
});

test('images and files of a user and of a tool result reach the model', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const png = { type: 'data' as const, data: 'iVBORw0KGgo=' };
  const look = tool({
    ...{ description: 'Looks', inputSchema: z.object({}), execute: async () => 'seen' },
    toModelOutput: () => ({ type: 'content', value: [{ type: 'file', data: png, mediaType: 'image/png' }] }),
  });

  const shown = await generateText({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'file', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
          { type: 'file', data: new URL('https://example.com/a.png'), mediaType: 'image/png' },
          { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
    ],
  });
  const seen = await generateText({ model, tools: { look }, stopWhen: stepCountIs(2), prompt: 'Look.' });

  expect([shown.warnings, seen.warnings]).toEqual([[], []]);
  expect(harness.modelRequests[0]!.body.messages[0]!.content).toMatchObject([
    { text: 'What is this?' },
    { image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    { image_url: { url: 'https://example.com/a.png' } },
    { file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
  ]);
  expect(JSON.stringify(harness.modelRequests[2]!.body.messages)).toContain('data:image/png;base64,iVBORw0KGgo=');
});

test('settings and provider options of the AI SDK reach the model without warnings', async ({ harness, worker: _ }) => {
  const model = aiSdkProvider(harness).responses('gpt-4o');
  const other = tool({ description: 'Another', inputSchema: at, execute: async () => 'Nothing' });

  const openai: OpenAILanguageModelResponsesOptions = {
    ...{ allowedTools: { toolNames: ['get_time'], mode: 'required' }, parallelToolCalls: false, maxToolCalls: 3 },
    ...{ metadata: { a: 'b' }, user: 'ada', safetyIdentifier: 'a', textVerbosity: 'low', instructions: 'Be brief.' },
    ...{ promptCacheKey: 'key', promptCacheRetention: '24h', serviceTier: 'auto', truncation: 'disabled' },
    ...{ include: ['reasoning.encrypted_content'], strictJsonSchema: true },
  };
  const { warnings, toolCalls } = await generateText({
    ...{ model, prompt: 'Hi', temperature: 0.3, topP: 0.8, maxOutputTokens: 100 },
    tools: { get_time, other },
    toolChoice: 'required',
    providerOptions: { openai },
  });

  expect(warnings).toEqual([]);
  expect(toolCalls.map(({ toolName }) => toolName)).toEqual(['get_time']);
  expect(lastBody(harness)).toMatchObject({
    ...{ temperature: 0.3, top_p: 0.8, parallel_tool_calls: false, tool_choice: 'required', verbosity: 'low' },
    ...{ tools: [{ function: { name: 'get_time' } }], prompt_cache_key: 'key' },
  });
  expect(lastBody(harness).messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
});

test.each([true, false])(
  'a custom tool receives a text, and its answer reaches the model (store: %s)',
  async (store) => {
    await using harness = await createHarness();
    await using _worker = await startBackgroundWorker(harness);
    const openai = aiSdkProvider(harness);
    const format = { type: 'grammar', syntax: 'regex', definition: '[a-z]+' } as const;
    const patch = openai.tools.customTool({
      description: 'Patches',
      format,
      execute: async (text) => `Patched ${text}`,
    });
    const asked = {
      ...{ model: openai.responses('gpt-4o'), tools: { patch }, stopWhen: stepCountIs(3) },
      prompt: scripted({
        rounds: [{ tools: [{ name: 'patch', arguments: { input: 'abc' } }] }],
        answer: '{{results}}',
      }),
      providerOptions: { openai: { store } },
    };

    const generated = await generateText(asked);
    const streamed = streamText(asked);

    expect(generated).toMatchObject({ text: 'Patched abc', warnings: [] });
    expect(await streamed.text).toBe('Patched abc');
  },
);

test.each([
  ['length', 'length'],
  ['content_filter', 'content-filter'],
] as const)('a reply that ends with %s has the matching finish reason', async (finish_reason, finishReason) => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const prompt = scripted({ answer: 'Half of', final: { finish_reason } });

  const generated = await generateText({ model: aiSdkProvider(harness).responses('gpt-4o'), prompt });

  expect(generated).toMatchObject({ text: 'Half of', finishReason });
});

test('the AI SDK raises a provider error and a refused request', async ({ harness, worker: _ }) => {
  const openai = aiSdkProvider(harness);
  const model = openai.responses('gpt-4o');
  const prompt = scripted({ answer: 'Never.', final: { fault: { kind: 'status', status: 400 } } });
  const web = openai.tools.webSearch({});

  const failed = await raised(generateText({ model, prompt }));
  const refused = await raised(generateText({ model, tools: { web }, prompt: 'Search.' }));
  const parts = await gather(streamText({ model, prompt, onError: () => {} }).fullStream);

  expect(failed).toMatchObject({
    statusCode: 400,
    isRetryable: false,
    data: { error: { code: 'provider_invalid_request' } },
  });
  expect(failed.responseHeaders?.['pawl-response-id']).toMatch(/^resp_/);
  expect(refused).toMatchObject({
    statusCode: 400,
    data: { error: { code: 'unsupported_tool', param: 'tools[0].type' } },
  });
  // The turn may fail before its stream begins, which sets the status of the answer. Otherwise the error is an event.
  const errors = parts.filter(({ type }) => type === 'error');
  expect(errors).toMatchObject([{ error: { statusCode: 400, isRetryable: false } }]);
});
