import { block, message, textBlock } from '#test/llm/anthropic-wire.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { checkOpenai } from '#test/llm/check-wire/openai.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { geminiEvent, partsEvent } from '#test/llm/gemini-wire.ts';
import { event } from '#test/llm/openai-wire.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';
import { makeAnthropicCache } from './anthropic-cache.ts';
import { makeGeminiCache } from './gemini-cache.ts';
import { makeOpenaiCache, makeResponsesCache } from './openai-cache.ts';
import type { PromptCache } from './prompt-cache.ts';
import { inputOf, type TokenCount } from './token-count.ts';

export type CacheReply = { thought?: string; text?: string; calls?: { id: string; name: string; args: object }[] };

/** One wire with prompt caching, for a scripted server. */
export type CacheWire = {
  name: 'anthropic' | 'openai' | 'openai-responses' | 'gemini';
  makeCache(): PromptCache<object>;
  /** Returns the reasons to refuse a body, apart from its marks. */
  problems(body: object, model: string): string[];
  writeReply(reply: CacheReply, count: TokenCount): string[];
  writeRefusal(message: string): object;
  /** Returns the message of a gateway that does not support a field. */
  unknownField(field: string): string;
};

export const anthropicCacheWire: CacheWire = {
  name: 'anthropic',
  makeCache: () => makeAnthropicCache(),
  problems: checkAnthropic,
  writeReply({ thought, text, calls = [] }, count) {
    const thoughts = [
      { type: 'thinking_delta', thinking: thought },
      { type: 'signature_delta', signature: 'c2ln' },
    ];
    const blocks = [
      ...(thought ? block(0, { type: 'thinking', thinking: '', signature: '' }, thoughts) : []),
      ...(text ? textBlock(1, [text]) : []),
      ...calls.flatMap(({ id, name, args }, at) =>
        block(at + 2, { type: 'tool_use', id, name, input: {} }, [
          { type: 'input_json_delta', partial_json: JSON.stringify(args) },
        ]),
      ),
    ];
    const start = {
      input_tokens: count.fresh,
      cache_read_input_tokens: count.read,
      cache_creation_input_tokens: count.written + count.writtenForHour,
      cache_creation: {
        ephemeral_5m_input_tokens: count.written,
        ephemeral_1h_input_tokens: count.writtenForHour,
      },
      output_tokens: 1,
    };
    const end = { output_tokens: count.output };
    return message(blocks, calls.length > 0 ? 'tool_use' : 'end_turn', { start, end });
  },
  writeRefusal: (text) => ({ type: 'error', error: { type: 'invalid_request_error', message: text } }),
  unknownField: (field) => `${field}: Extra inputs are not permitted`,
};

export const openaiCacheWire: CacheWire = {
  name: 'openai',
  makeCache: makeOpenaiCache,
  problems: (body) => checkOpenai(body),
  writeReply({ text, calls = [] }, count) {
    const pieces = calls.map(({ id, name, args }, index) =>
      event({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] }),
    );
    const usage = {
      prompt_tokens: inputOf(count),
      completion_tokens: count.output,
      total_tokens: inputOf(count) + count.output,
      prompt_tokens_details: {
        cached_tokens: count.read,
        ...(count.written > 0 ? { cache_write_tokens: count.written } : {}),
      },
    };
    return [
      ...(text ? [event({ content: text })] : []),
      ...pieces,
      event({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
      'data: [DONE]\n\n',
    ];
  },
  writeRefusal: (text) => ({
    error: { message: text, type: 'invalid_request_error', param: /'(\w+)'/.exec(text)?.[1] ?? null, code: null },
  }),
  unknownField: (field) => `Unknown parameter: '${field}'.`,
};

export const responsesCacheWire: CacheWire = {
  name: 'openai-responses',
  makeCache: makeResponsesCache,
  problems: (body) => checkOpenaiResponses(body, { isOwnSeal: (sealed) => sealed.startsWith('SEALED') }),
  writeReply({ thought, text, calls = [] }, count) {
    const items = [
      ...(thought ? [reasoningItem([thought], { encrypted_content: `SEALED ${thought}` })] : []),
      ...(text ? [messageItem([text])] : []),
      ...calls.map(({ args, ...call }) => callItem({ ...call, arguments: [JSON.stringify(args)] })),
    ];
    const written = { ttl_30m_tokens: count.written, ttl_12h_tokens: count.writtenForHour };
    const usage = {
      input_tokens: inputOf(count),
      input_tokens_details: {
        ...{ cached_tokens: count.read, cache_write_tokens: count.written + count.writtenForHour },
        ...(count.writtenForHour > 0 ? { cache_write_tokens_details: written } : {}),
      },
      output_tokens: count.output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputOf(count) + count.output,
    };
    return responseStream(items, { usage });
  },
  writeRefusal: openaiCacheWire.writeRefusal,
  unknownField: openaiCacheWire.unknownField,
};

/** The Responses wire with a model that does not reason. */
export const olderResponsesCacheWire: CacheWire = {
  ...responsesCacheWire,
  writeReply: ({ thought: _, ...reply }, count) => responsesCacheWire.writeReply(reply, count),
};

export const geminiCacheWire: CacheWire = {
  name: 'gemini',
  makeCache: makeGeminiCache,
  problems: checkGemini,
  writeReply({ text, calls = [] }, count) {
    const parts = calls.map(({ id, name, args }, at) => ({
      functionCall: { id, name, args },
      ...(at === 0 ? { thoughtSignature: 'c2lnbmVk' } : {}),
    }));
    const usageMetadata = {
      promptTokenCount: inputOf(count),
      ...(count.read > 0 ? { cachedContentTokenCount: count.read } : {}),
      candidatesTokenCount: count.output,
      totalTokenCount: inputOf(count) + count.output,
    };
    return [
      partsEvent([...(text ? [{ text }] : []), ...parts]),
      geminiEvent({ candidates: [{ content: { role: 'model' }, finishReason: 'STOP', index: 0 }], usageMetadata }),
    ];
  },
  writeRefusal: (text) => ({ error: { code: 400, message: text, status: 'INVALID_ARGUMENT' } }),
  unknownField: (field) => `Invalid JSON payload received. Unknown name "${field}": Cannot find field.`,
};
