import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import type { ServiceTier } from '#core/turn/config/service-tier.ts';
import type { Reply } from '#core/turn/reply.ts';
import { event, message, textBlock } from '#test/llm/anthropic-wire.ts';
import { partsEvent } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { messageItem, responseObject } from '#test/llm/responses-events.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';
import { chunksWithTier, responsesWithTier } from './flex-server.ts';

type TierWire = {
  make(origin: string): Provider;
  field: 'service_tier' | 'serviceTier';
  /** The word of the wire for each supported tier. */
  words: Partial<Record<ServiceTier, string>>;
  /** Returns a reply that reports this tier, streamed or whole. */
  streamed(tier: unknown): string[];
  whole(tier: unknown): object;
};

const { post } = makeHttpClient();
const about = { apiKey: 'none-at-all', post };
const same = { auto: 'auto', default: 'default', flex: 'flex', priority: 'priority' };
const said = { text: ['Hi.'] };
const messageStart = event({ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } });
const geminiPart = { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }] };
const counted = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };

/** Replaces the tier in events by any JSON value, because servers may send any value. */
const withJson = (events: string[], tier: unknown) =>
  events.map((each) => each.replaceAll('"service_tier":"TIER"', `"service_tier":${JSON.stringify(tier)}`));

/** The wires that support tiers, by name. */
export const TIER_WIRES: Record<'openai' | 'openai-responses' | 'anthropic' | 'gemini', TierWire> = {
  openai: {
    make: (origin) => openaiProvider({ ...about, name: 'openai', baseUrl: `${origin}/v1` }),
    field: 'service_tier',
    words: same,
    streamed: (tier) => withJson(chunksWithTier(said, 'TIER'), tier),
    whole: (tier) => ({
      ...{ object: 'chat.completion', service_tier: tier },
      choices: [{ message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }),
  },
  'openai-responses': {
    make: (origin) => openaiResponsesProvider({ ...about, name: 'openai', baseUrl: `${origin}/v1` }),
    field: 'service_tier',
    words: same,
    streamed: (tier) => withJson(responsesWithTier(said, 'TIER'), tier),
    whole: (tier) => ({ ...responseObject([messageItem(['Hi.']).item]), service_tier: tier }),
  },
  anthropic: {
    make: (origin) => anthropicProvider({ ...about, name: 'anthropic', baseUrl: origin }),
    field: 'service_tier',
    words: { auto: 'auto', default: 'standard_only' },
    streamed: (tier) => [
      messageStart.replace(
        '"content":[]',
        `"content":[],"usage":${JSON.stringify({ input_tokens: 3, service_tier: tier })}`,
      ),
      ...message(textBlock(0, ['Hi.']), 'end_turn').slice(1),
    ],
    whole: (tier) => ({
      ...{ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' },
      usage: { input_tokens: 3, output_tokens: 2, service_tier: tier },
    }),
  },
  gemini: {
    make: (origin) => geminiProvider({ ...about, name: 'gemini', baseUrl: origin }),
    field: 'serviceTier',
    words: { auto: 'unspecified', default: 'standard', flex: 'flex', priority: 'priority' },
    streamed: (tier) => [
      partsEvent([{ text: 'Hi.' }]),
      `data: ${JSON.stringify({ ...geminiPart, usageMetadata: { ...counted, serviceTier: tier } })}\n\n`,
    ],
    whole: (tier) => ({ ...geminiPart, usageMetadata: { ...counted, serviceTier: tier } }),
  },
};

export type TierWireName = keyof typeof TIER_WIRES;
export const WIRE_NAMES = Object.keys(TIER_WIRES) as TierWireName[];

export const PLAIN_CHUNKS = openaiWire.reply(said);

export function wholeAnswer(body: object): Answer {
  return { headers: { 'content-type': 'application/json' }, body: [JSON.stringify(body)] };
}

/** Asks a provider of this wire once. Returns its reply and the body that it sent. */
export async function askOn(
  name: TierWireName,
  answer: Answer,
  change: Partial<RoundRequest> = {},
): Promise<{ reply: Reply; sent: Record<string, unknown> }> {
  await using server = await startWireServer(answer);
  const provider = TIER_WIRES[name].make(server.origin);
  const reply = await provider.ask({ ...someRequest, ...change }, new AbortController().signal, () => {});
  return { reply, sent: server.asked[0]!.body };
}
