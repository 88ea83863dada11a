import type OpenAI from 'openai';
import { expect } from 'vitest';
import { readMessage } from '#test/api/ui-stream/read-message.ts';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { CITED, HOSTED_WIRES, INTRO, SOURCE } from '#test/worker/hosted/hosted-wires.ts';
import { test } from '#test/worker/hosted/open-wires.ts';
import { openaiClient } from './openai-client.ts';

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming;
const tools: Request['tools'] = [
  { type: 'web_search' },
  { type: 'code_interpreter', container: { type: 'auto' } },
  {
    ...{ type: 'function', name: 'weather_lookup', strict: false },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
];
const annotation = {
  ...{ type: 'url_citation', ...SOURCE, start_index: INTRO.length, end_index: `${INTRO}${CITED}`.length },
};
const message = {
  type: 'message',
  content: [{ type: 'output_text', text: `${INTRO}${CITED}`, annotations: [annotation] }],
};

test.for(HOSTED_WIRES)('the SDK of OpenAI shows searches, code and citations of $kind', async (wire, { wires }) => {
  const { harness } = wires;
  await using _worker = await startBackgroundWorker(harness);
  const client = openaiClient(harness);
  const request = { model: `${wire.provider}/model`, tools };

  const first = await streamed(client, { ...request, input: 'How warm is it?' });
  const answer = { type: 'function_call_output' as const, call_id: 'call_1', output: '22' };
  const second = await streamed(client, { ...request, previous_response_id: first.response.id, input: [answer] });

  expect(first.response.output).toMatchObject([
    { type: 'web_search_call', status: 'completed' },
    message,
    { type: 'function_call', name: 'weather_lookup' },
  ]);
  expect(first.types).toEqual(expect.arrayContaining(['response.web_search_call.completed', ANNOTATION]));
  expect(second.response.output).toMatchObject([
    { type: 'code_interpreter_call', status: 'completed' },
    { type: 'message', content: [{ text: '71.6 °F.' }] },
  ]);
  expect(second.types).toEqual(expect.arrayContaining(['response.code_interpreter_call.completed']));
});

const ANNOTATION = 'response.output_text.annotation.added';

/** Streams a response. Its end must equal the response as a later request reads it. */
async function streamed(client: OpenAI, request: Request) {
  const types: string[] = [];
  let response: OpenAI.Responses.Response | undefined;
  for await (const event of await client.responses.create({ ...request, stream: true })) {
    types.push(event.type);
    if (event.type === 'response.completed') response = event.response;
  }
  const read = await client.responses.retrieve(String(response?.id));
  expect(response?.output).toEqual(read.output);
  return { types, response: read };
}

test.for(HOSTED_WIRES)('useChat shows the sources and the calls of $kind', async (wire, { wires }) => {
  const { harness } = wires;
  const { id } = await harness.runTurn({
    ...{ model: `${wire.provider}/model`, input: 'How warm is it?' },
    tools: ['weather_lookup', { type: 'web_search' }, { type: 'code_execution' }],
  });

  const { message: chat, errors } = await readMessage(`${harness.url}/v1/turns/${id}/ui-stream`);

  const parts = chat?.parts ?? [];
  expect(errors).toEqual([]);
  expect(parts.filter(({ type }) => type === 'source-url')).toMatchObject([SOURCE]);
  expect(parts.filter(({ type }) => type === 'dynamic-tool')).toMatchObject([
    { toolName: 'web_search', state: 'output-available', providerExecuted: true },
    { toolName: 'weather_lookup', state: 'output-available' },
    { toolName: 'code_execution', state: 'output-available', providerExecuted: true },
  ]);
});
