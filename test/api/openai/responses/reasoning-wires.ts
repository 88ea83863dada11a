import type OpenAI from 'openai';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { partsEvent } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { openaiClient } from './openai-client.ts';

export type Item = OpenAI.Responses.ResponseInputItem;
type Response = OpenAI.Responses.Response;
export type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

export const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
export const tools: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'locate', parameters: {}, strict: null }];
export const user = (content: string): Item => ({ role: 'user', content });
const call = { id: 'call_0', name: 'locate', arguments: ['{}'] };
const STOPPED = { finishReason: 'STOP' };

/** The replies of each wire's model, and the form of its state in the next request. */
export const wires = [
  {
    name: 'Anthropic',
    model: 'anthropic/claude-opus-5',
    other: 'gemini/gemini-3-pro',
    asks: anthropicWire.reply({ reasoning: ['Hm'], text: ['Wait.'], calls: [call] }),
    says: anthropicWire.reply({ reasoning: ['Fine'], text: ['Done.'] }),
    signed: ['"thinking":"Hm","signature":"sig"', '"thinking":"Fine","signature":"sig"'],
  },
  {
    name: 'Gemini',
    model: 'gemini/gemini-3-pro',
    other: 'anthropic/claude-opus-5',
    asks: [
      partsEvent([{ text: 'Hm', thought: true }]),
      partsEvent([{ text: 'Wait.' }]),
      partsEvent([{ functionCall: { id: 'call_0', name: 'locate', args: {} }, thoughtSignature: 'c2ln' }], STOPPED),
    ],
    says: [partsEvent([{ text: 'Done.' }]), partsEvent([{ text: '', thoughtSignature: 'ZW5k' }], STOPPED)],
    signed: ['"thoughtSignature":"c2ln"', '"thoughtSignature":"ZW5k"'],
  },
  {
    name: 'Responses',
    model: 'sealing/gpt-5.6',
    other: 'anthropic/claude-opus-5',
    asks: responseStream([
      reasoningItem(['Hm'], { encrypted_content: 'SEALED ONE' }),
      messageItem(['Wait.'], { phase: 'commentary' }),
      callItem(call),
    ]),
    says: responseStream([reasoningItem(['Fine'], { encrypted_content: 'SEALED TWO' }), messageItem(['Done.'])]),
    signed: ['"encrypted_content":"SEALED ONE"', '"encrypted_content":"SEALED TWO"'],
  },
  {
    name: 'a server of OpenAI’s wire that shows its thoughts',
    model: 'openai/deepseek',
    other: 'anthropic/claude-opus-5',
    asks: openaiWire.reply({ reasoning: ['Hm'], text: ['Wait.'], calls: [call] }),
    says: openaiWire.reply({ reasoning: ['Fine'], text: ['Done.'] }),
    signed: ['"reasoning_content":"Hm"', '"reasoning_content":"Fine"'],
  },
];

export async function open() {
  const server = await startWireServer();
  const urls = { OPENAI_BASE_URL: server.origin, ANTHROPIC_BASE_URL: server.origin, GEMINI_BASE_URL: server.origin };
  const keys = { ANTHROPIC_API_KEY: 'none-at-all', GEMINI_API_KEY: 'none-at-all' };
  const sealing = { kind: 'openai-responses', base_url: server.origin };
  const more = { PAWL_PROVIDERS: JSON.stringify({ sealing }), PAWL_API_KEYS: 'one:key-one,two:key-two' };
  const harness = await createHarness({ env: { ...urls, ...keys, ...more } });
  const worker = await startBackgroundWorker(harness);
  return {
    ...{
      harness,
      server,
      client: openaiClient(harness, '/v1', 'key-one'),
      elsewhere: openaiClient(harness, '/v1', 'key-two'),
    },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]();
      await harness[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Returns a client of one wire that asks for state. */
export function talking({ server, client }: Opened, { model, asks, says }: (typeof wires)[number]) {
  const create = (body: Omit<Body, 'model'>) => client.responses.create({ model, tools, include, ...body });
  const answering = (script: string[], body: Omit<Body, 'model'>) => {
    server.answer({ body: script });
    return create(body);
  };
  return {
    create,
    asks: (body: Omit<Body, 'model'>) => answering(asks, body),
    says: (body: Omit<Body, 'model'>) => answering(says, body),
  };
}

/** Returns the last request without its cache key, which differs for each conversation. */
export function sentBy({ server }: Opened): string {
  const { prompt_cache_key: _, ...body } = server.asked.at(-1)!.body;
  return JSON.stringify(body);
}

export const again = ({ output }: Response) => output as Item[];
export const result: Item = { type: 'function_call_output', call_id: 'call_0', output: 'Rome' };

export function statesOf(items: { type: string; encrypted_content?: unknown }[]): unknown[] {
  return items.filter(({ type }) => type === 'reasoning').map(({ encrypted_content: state }) => state);
}
