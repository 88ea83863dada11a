import type OpenAI from 'openai';
import type {
  FunctionTool,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  ResponseOutputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { test as base } from 'vitest';
import { opening } from '#test/harness/opening.ts';
import { askSimulator } from '../ask-simulator.ts';

export type Params = Partial<ResponseCreateParamsNonStreaming>;

export const getWeather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** The fields with which Pawl requests the encrypted content of reasoning. */
export const stateless: Params = { store: false, include: ['reasoning.encrypted_content'] };

/** Starts a simulator with a client of the Responses wire. Ends with its scope. */
export async function askResponses() {
  const { openai, simulator, requests } = await askSimulator();
  const post = (params: object, init: RequestInit = {}) =>
    fetch(`${simulator.baseUrl}/responses`, {
      method: 'POST',
      body: JSON.stringify({ model: 'demo', input: 'Hi', ...params }),
      headers: { 'content-type': 'application/json' },
      ...init,
    });
  return {
    simulator,
    requests,
    openai,
    post,
    respond: (params: Params, options?: OpenAI.RequestOptions) =>
      openai.responses.create({ model: 'demo', input: 'Hi', ...params, stream: false }, options),
    stream: (params: Params) => openai.responses.stream({ model: 'demo', input: 'Hi', ...params, stream: true }),
    /** Returns the events of a stream, and whether the stream ended cleanly. */
    readEvents: async (params: object) => readEvents(await post({ ...params, stream: true })),
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

/** A test that can take a `model`, its own simulator. */
export const test = base.extend('model', opening(askResponses));

export function script(sim: Record<string, unknown>): { input: ResponseInputItem[] } {
  return { input: [{ role: 'user', content: JSON.stringify({ sim }) }] };
}

/** Returns the items of a reply as input of the next request. The types of the SDK are narrower than the API. */
export function sentBack(output: ResponseOutputItem[]): ResponseInputItem[] {
  return output as ResponseInputItem[];
}

/** Returns the items of a turn after its first round: the input, the call and its output. */
export function afterOneRound(sim: Record<string, unknown>, output: string): Params {
  const call = { type: 'function_call' as const, call_id: 'call_1', name: 'get_weather', arguments: '{}' };
  return {
    tools: [getWeather],
    input: [...script(sim).input, call, { type: 'function_call_output', call_id: 'call_1', output }],
  };
}

async function readEvents(response: Response) {
  let text = '';
  let ended = 'clean';
  try {
    for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) text += bytes;
  } catch {
    ended = 'broken';
  }
  const events = text.matchAll(/^event: (.*)\ndata: (\{.*\})$/gm).map(([, name, data]) => {
    const event: ResponseStreamEvent = JSON.parse(data!);
    return { name, event };
  });
  return { text, ended, events: [...events] };
}
