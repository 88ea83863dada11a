import fc from 'fast-check';
import { ProviderFailed } from '#core/failure.ts';
import { jsonObject } from '#core/json.ts';
import { finishReply as finishAiSdk } from '#core/llm/ai-sdk/reply/finish-reply.ts';
import * as aiSdk from '#core/llm/ai-sdk/reply/reply-accumulator.ts';
import { finishReply as finishAnthropic } from '#core/llm/anthropic/finish-reply.ts';
import * as anthropic from '#core/llm/anthropic/reply-accumulator.ts';
import * as gemini from '#core/llm/gemini/reply-accumulator.ts';
import * as openai from '#core/llm/openai/reply-accumulator.ts';
import { finishReply as finishResponses } from '#core/llm/openai-responses/finish-reply.ts';
import * as responses from '#core/llm/openai-responses/reply-accumulator.ts';
import type { Reply } from '#core/turn/reply.ts';
import { endEvent, type ResponseEnd } from '#test/llm/responses-events.ts';
import { someArguments, someId, someName, someText } from './arbitrary-text.ts';

const call = fc.record({ kind: fc.constant('call'), id: someId, name: someName, args: someArguments, text: someText });
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('text'), text: someText, isSigned: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('thought'), text: someText, isSigned: fc.boolean() }) },
  { weight: 4, arbitrary: call.map((each) => ({ ...each, isSigned: true })) },
  { weight: 1, arbitrary: call.map((each) => ({ ...each, isSigned: false })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('else'), text: someText, isSigned: fc.boolean() }) },
);
type Piece = { kind: string; text: string; isSigned: boolean; id?: string; name?: string; args?: string };
type Spoken = { pieces: Piece[]; stop: 'done' | 'cut' | 'refused' };

const spoken: fc.Arbitrary<Spoken> = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 6 }),
  stop: fc.constantFrom('done', 'done', 'done', 'done', 'cut', 'refused'),
});

/** The wires, and `dialect` for calls that a dialect reads from a text. */
export const speakers = [
  ...['openai', 'openai-responses', 'azure', 'anthropic', 'gemini', 'deepseek', 'bedrock', 'dialect'],
] as const;
export type Speaker = (typeof speakers)[number];

/** Returns a reply as the adapter of that provider reads it, or null if the reply must be requested again. */
export function someReply(speaker: Speaker): fc.Arbitrary<Reply | null> {
  return spoken.map((said) => {
    try {
      return read(speaker, said);
    } catch (failure) {
      if (failure instanceof ProviderFailed) return null;
      throw failure;
    }
  });
}

function read(speaker: Speaker, said: Spoken): Reply {
  switch (speaker) {
    case 'openai':
    case 'deepseek':
      return readOpenai(said);
    case 'openai-responses':
      return readResponses(said, 'SEALED');
    case 'azure':
      return readResponses(said, 'SEALED BY ANOTHER');
    case 'anthropic':
      return readAnthropic(said);
    case 'gemini':
      return readGemini(said);
    case 'bedrock':
      return readAiSdk(said);
    case 'dialect':
      return { ...readOpenai(said), text: null, opaque: null };
  }
}

function readOpenai({ pieces, stop }: Spoken): Reply {
  const accumulator = openai.startReply({ provider: 'openai' });
  for (const [index, { kind, text, isSigned, id, name, args }] of pieces.entries()) {
    const extra = isSigned ? { extra_content: { google: { thought_signature: 'sig' } } } : {};
    const named = { index, id, function: { name, arguments: args }, ...extra };
    const delta: Record<string, object> = {
      text: { content: text },
      thought: isSigned
        ? { reasoning_details: [{ type: 'reasoning.text', text, index }] }
        : { reasoning_content: text },
      call: { tool_calls: [named] },
      else: { refusal: stop === 'refused' ? text : null },
    };
    openai.takeChunk(accumulator, { choices: [{ index: 0, delta: delta[kind] }] });
  }
  const finish = { done: 'stop', cut: 'length', refused: 'content_filter' }[stop];
  openai.takeChunk(accumulator, { choices: [{ index: 0, delta: {}, finish_reason: finish }] });
  return openai.finishReply(accumulator);
}

const responseEnds: Record<Spoken['stop'], ResponseEnd> = {
  done: {},
  cut: { status: 'incomplete', reason: 'max_output_tokens' },
  refused: { status: 'incomplete', reason: 'content_filter' },
};

/** The number of hosted calls so far, because their ids are unique in a conversation. */
let hosted = 0;

/** Reads the reply in the form of a Responses server. `seal` is its encrypted reasoning. */
function readResponses({ pieces, stop }: Spoken, seal: string): Reply {
  const output = pieces.map(({ kind, text, isSigned, id, name, args = '' }, index) => {
    const content = [{ type: 'output_text', text, annotations: isSigned ? [{ type: 'page', text: 'x' }] : [] }];
    const message = { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant' };
    const summary = text ? [{ type: 'summary_text', text }] : [];
    const search = { id: `ws_${hosted++}`, type: 'web_search_call', status: 'completed', action: { query: text } };
    const called = { id: `fc_${index}`, type: 'function_call', status: 'completed', call_id: id, name };
    const item: Record<string, object> = {
      text: { ...message, content, ...(isSigned ? { phase: 'commentary' } : {}) },
      thought: { id: `rs_${index}`, type: 'reasoning', summary, ...(isSigned ? { encrypted_content: seal } : {}) },
      call: { ...called, arguments: args, ...(isSigned ? { caller: { type: 'direct' } } : {}) },
      else: isSigned ? search : { ...message, content: [{ type: 'refusal', refusal: text }] },
    };
    return item[kind]!;
  });
  const reply = responses.startReply();
  responses.takeEvent(reply, JSON.parse(endEvent(output, responseEnds[stop]).split('data: ')[1]!));
  return finishResponses(reply, { provider: 'openai-responses', toolNames: [] });
}

function readAnthropic({ pieces, stop }: Spoken): Reply {
  const accumulator = anthropic.startReply({ provider: 'anthropic' });
  const take = (event: object) => anthropic.takeEvent(accumulator, event);
  for (const [index, { kind, text, isSigned, id, name, args }] of pieces.entries()) {
    const server = { type: 'server_tool_use', id: `srv_${index}`, name: 'web_search', input: {} };
    const start: Record<string, object> = {
      text: { type: 'text', text, citations: isSigned ? [{ type: 'page', cited_text: 'x' }] : null },
      // The wire signs a thought, unless the reply was truncated within it.
      thought: { type: 'thinking', thinking: text, signature: isSigned || stop !== 'cut' ? 'sig' : '' },
      call: { type: 'tool_use', id, name, input: {} },
      else: isSigned ? { type: 'redacted_thinking', data: 'x' } : server,
    };
    take({ type: 'content_block_start', index, content_block: start[kind] });
    if (kind === 'call') {
      take({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } });
    }
    if (kind === 'else' && !isSigned) {
      const result = { type: 'web_search_tool_result', tool_use_id: `srv_${index}`, content: [] };
      take({ type: 'content_block_start', index: index + 100, content_block: result });
    }
  }
  const reason = { done: 'end_turn', cut: 'max_tokens', refused: 'refusal' }[stop];
  take({ type: 'message_delta', delta: { stop_reason: reason } });
  take({ type: 'message_stop' });
  return finishAnthropic(accumulator);
}

function readGemini({ pieces, stop }: Spoken): Reply {
  const accumulator = gemini.startReply({ provider: 'gemini' });
  const parts = pieces.map(({ kind, text, isSigned, id, name, args = '' }) => {
    const signed = isSigned ? { thoughtSignature: 'c2ln' } : {};
    const part: Record<string, object> = {
      text: { text, ...signed },
      thought: { text, thought: true, ...signed },
      call: { functionCall: { ...(id ? { id } : {}), name, args: jsonObject(args) ?? {} }, ...signed },
      else: { executableCode: { language: 'PYTHON', code: text } },
    };
    return part[kind];
  });
  const finishReason = { done: 'STOP', cut: 'MAX_TOKENS', refused: 'SAFETY' }[stop];
  gemini.takeChunk(accumulator, { candidates: [{ content: { parts }, finishReason }] });
  return gemini.finishReply(accumulator);
}

/**
 * Reads the reply in the form of an AI SDK package. Each part has a start, pieces and an end, and may have a
 * signature.
 */
function readAiSdk({ pieces, stop }: Spoken): Reply {
  const accumulator = aiSdk.startReply('bedrock');
  const take = (part: aiSdk.StreamPart) => aiSdk.takePart(accumulator, part);
  for (const [index, { kind, text, isSigned, id: given = '', name = '', args = '' }] of pieces.entries()) {
    const id = String(index);
    const signed = isSigned ? { providerMetadata: { bedrock: { signature: 'sig' } } } : {};
    if (kind === 'text' || kind === 'thought') {
      const type = kind === 'text' ? 'text' : 'reasoning';
      take({ type: `${type}-start`, id });
      take({ type: `${type}-delta`, id, delta: text });
      take({ type: `${type}-end`, id, ...signed });
    }
    if (kind === 'call') take({ type: 'tool-call', toolCallId: given, toolName: name, input: args, ...signed });
    if (kind === 'else') take({ type: 'custom', kind: 'bedrock.else', ...signed });
  }
  const unified = ({ done: 'stop', cut: 'length', refused: 'content-filter' } as const)[stop];
  const inputTokens = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  const outputTokens = { total: undefined, text: undefined, reasoning: undefined };
  take({ type: 'finish', finishReason: { unified, raw: unified }, usage: { inputTokens, outputTokens } });
  return finishAiSdk(accumulator);
}
