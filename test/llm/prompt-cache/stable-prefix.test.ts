import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import { renderRequest as renderGemini } from '#core/llm/gemini/render-request.ts';
import { renderRequest as renderOpenai } from '#core/llm/openai/render-request.ts';
import { fullForm, renderRequest as renderResponses } from '#core/llm/openai-responses/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { someConversation } from '#test/llm/conversations/arbitrary-conversation.ts';
import { type AnthropicBody, anthropicBlocks, textOfBlock } from './anthropic-blocks.ts';
import { makeAnthropicCache } from './anthropic-cache.ts';
import type { GeminiBody } from './gemini-cache.ts';
import type { OpenaiBody, ResponsesBody } from './openai-cache.ts';
import { type RequestPair, requestPairs } from './request-pairs.ts';

/** The head of a request, which stays equal, and its blocks, to which later requests only add. */
type Prefix = { head: string; blocks: string[] };

function anthropicPrefix(request: RoundRequest): Prefix {
  const body = renderAnthropic(request, 'anthropic') as AnthropicBody;
  const blocks = anthropicBlocks(body).map((block) => ({ ...block, text: textOfBlock(block) }));
  const isHead = ({ tier }: { tier: string }) => tier !== 'messages';
  return {
    head: JSON.stringify([body.output_config?.format, ...blocks.filter(isHead).map(({ text }) => text)]),
    blocks: blocks.filter((block) => !isHead(block)).map(({ role, text }) => `${role} ${text}`),
  };
}

function openaiPrefix(request: RoundRequest): Prefix {
  const body: OpenaiBody = renderOpenai(request, { provider: 'openai', maxTokensField: 'max_tokens' });
  const blocks = (body.messages ?? []).map((message) => JSON.stringify(message));
  return { head: JSON.stringify([body.tools, body.response_format]), blocks };
}

function responsesPrefix(request: RoundRequest): Prefix {
  const form = fullForm(true);
  const body = renderResponses(request, { provider: 'openai-responses', form }) as unknown as ResponsesBody;
  const blocks = (body.input ?? []).map((item) => JSON.stringify(item));
  return { head: JSON.stringify([body.tools, body.text?.format, body.instructions]), blocks };
}

function geminiPrefix(request: RoundRequest): Prefix {
  const body = renderGemini(request, 'gemini') as GeminiBody;
  const parts = (body.contents ?? []).flatMap(({ role, parts = [] }) => parts.map((part) => [role, part]));
  return {
    head: JSON.stringify([body.tools, body.systemInstruction]),
    blocks: parts.map((part) => JSON.stringify(part)),
  };
}

const models = [
  { model: 'openai/gpt-4.1', prefixOf: openaiPrefix },
  { model: 'openai-responses/gpt-5.6', prefixOf: responsesPrefix },
  { model: 'anthropic/claude-sonnet-4-5', prefixOf: anthropicPrefix },
  { model: 'gemini/gemini-2.5-pro', prefixOf: geminiPrefix },
  { model: 'gemini/gemini-3-pro', prefixOf: geminiPrefix },
];

/** A model on a server that requires alternating roles, so adjacent results of inline tools become one message. */
const byTurns = { model: 'openai/mistral-large', prefixOf: openaiPrefix };

const modes = (['native', 'emulated', 'inline'] as const).flatMap((mode) =>
  [...models, ...(mode === 'native' ? [byTurns] : [])].map((each) => ({ ...each, mode })),
);

/** The conversations for all wires, made once because they are expensive. */
const conversations = fc.sample(someConversation, { numRuns: 850, seed: 20_261_128 });

/** Checks the pairs of requests of each conversation. A failure has the index of its conversation. */
async function checkPairs(asked: Parameters<typeof requestPairs>[1], check: (pair: RequestPair) => void) {
  for (const [place, conversation] of conversations.entries()) {
    for (const pair of await requestPairs(conversation, asked)) {
      try {
        check(pair);
      } catch (error) {
        throw new Error(`It fails in conversation ${place}.`, { cause: error });
      }
    }
  }
}

test.for(modes)('each $mode request to $model begins with the request of the round before', async (on) => {
  const seen = { plain: 0, final: 0, repair: 0, forced: 0 };

  await checkPairs(on, (pair) => {
    // Some wires add text after a last assistant message. Another test sends such histories.
    if (pair.lastRole === null || pair.lastRole === 'assistant') return;
    // A repair with inline tools ends with its own rule. Only a retry of the failed turn follows it.
    if (on.mode === 'inline' && !pair.before.mayCall) return;
    expectPrefix(pair, on.prefixOf);
    seen[pair.kind] += 1;
    if (pair.isForced) seen.forced += 1;
  });

  console.log(`${on.model}, ${on.mode}: ${JSON.stringify(seen)} pairs of requests share their prefix`);
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});

test.for([...models, byTurns])(
  'each request to $model keeps its prefix if the input ends with the model',
  async (on) => {
    let seen = 0;

    await checkPairs({ ...on, mode: 'native' }, (pair) => {
      if (pair.lastRole !== 'assistant') return;
      expectPrefix(pair, on.prefixOf);
      seen += 1;
    });

    expect(seen).toBeGreaterThan(5);
  },
);

function expectPrefix({ before, after }: RequestPair, prefixOf: (request: RoundRequest) => Prefix) {
  const [earlier, later] = [prefixOf(before), prefixOf(after)];
  // Some wires add a filler to a history without text. A later history does not need this filler.
  const isFiller = earlier.blocks.length === 1 && earlier.blocks[0]?.includes('"(The conversation begins here.)"');
  if (isFiller) return;
  expect(later.head).toBe(earlier.head);
  expect(later.blocks.slice(0, earlier.blocks.length)).toEqual(earlier.blocks);
}

test('each Anthropic request reads the marked prefix of the request before it', async () => {
  const asked = { model: 'anthropic/claude-sonnet-4-5', mode: 'native' } as const;
  let seen = 0;

  await checkPairs(asked, ({ before, after, kind, isForced, lastRole }) => {
    const [earlier, later] = [markedBody(before), markedBody(after)];
    const cache = makeAnthropicCache(1);
    const [first, second] = [usageOf(cache.take(earlier)), usageOf(cache.take(later))];
    const keepsMessages = kind === 'plain' && !isForced && hasImages(earlier) === hasImages(later);
    if (!keepsMessages || lastRole === 'assistant') return;
    expect(second.read).toBe(first.read + first.written);
    expect(first.fresh).toBe(0);
    seen += 1;
  });

  expect(seen).toBeGreaterThan(20);
});

const marked = { isKept: true, isFilled: false, takesMarks: true, takesTtl: true };

function markedBody(request: RoundRequest): AnthropicBody {
  return renderAnthropic({ ...request, promptCache: { ttl: null, key: 'key' } }, 'anthropic', marked) as AnthropicBody;
}

function usageOf(taken: ReturnType<ReturnType<typeof makeAnthropicCache>['take']>) {
  if ('refusal' in taken) throw new Error(taken.refusal);
  return taken.usage;
}

function hasImages(body: AnthropicBody): boolean {
  return JSON.stringify(body.messages).includes('"type":"image"');
}
