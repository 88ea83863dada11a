import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { test as base } from 'vitest';
import { type ReceivedRequest, type Simulator, startSimulator } from '#simulator/start-simulator.ts';
import { opening } from '#test/harness/opening.ts';

type Params = Partial<ChatCompletionCreateParamsNonStreaming>;

export const getWeather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

/**
 * Starts a simulator with a client of the official SDK without retries, and records its requests. Ends with its
 * scope.
 */
export async function askSimulator() {
  const requests: ReceivedRequest[] = [];
  const simulator = await startSimulator({ onRequest: (request) => requests.push(request) });
  const openai = new OpenAI({ baseURL: simulator.baseUrl, apiKey: 'none', maxRetries: 0, logLevel: 'off' });
  return {
    simulator,
    openai,
    requests,
    stream: (params: Params, options?: OpenAI.RequestOptions) =>
      openai.chat.completions.stream({ ...inputOf(params), stream: true }, options),
    complete: (params: Params, options?: OpenAI.RequestOptions) =>
      openai.chat.completions.create({ ...inputOf(params), stream: false }, options),
    fetch: (params: object, init: RequestInit = {}) => post(simulator, params, init),
    [Symbol.asyncDispose]: () => simulator.stop(),
  };
}

/** A test that can take a `model`, its own simulator. */
export const test = base.extend('model', opening(askSimulator));

export function script(sim: Record<string, unknown>): Params {
  return { messages: [{ role: 'user', content: JSON.stringify({ sim }) }] };
}

/** Returns the messages of a turn after its first round: the input, the call and its result. */
export function afterOneRound(sim: Record<string, unknown>, result: string): Params {
  return {
    tools: [getWeather],
    messages: [
      { role: 'user', content: JSON.stringify({ sim }) },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: result },
    ],
  };
}

function inputOf(params: Params) {
  return { model: 'demo', messages: [{ role: 'user' as const, content: 'Hi' }], ...params };
}

function post({ baseUrl }: Simulator, params: object, init: RequestInit): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...init.headers };
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hi' }], ...params }),
    ...init,
    headers,
  });
}
