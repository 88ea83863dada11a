import { expect, test } from 'vitest';
import * as aiSdkEnd from '#core/llm/ai-sdk/reply/finish-reply.ts';
import * as aiSdk from '#core/llm/ai-sdk/reply/reply-accumulator.ts';
import * as anthropicEnd from '#core/llm/anthropic/finish-reply.ts';
import * as anthropic from '#core/llm/anthropic/reply-accumulator.ts';
import * as gemini from '#core/llm/gemini/reply-accumulator.ts';
import * as openai from '#core/llm/openai/reply-accumulator.ts';
import * as responsesEnd from '#core/llm/openai-responses/finish-reply.ts';
import * as responses from '#core/llm/openai-responses/reply-accumulator.ts';
import type { Reply } from '#core/turn/reply.ts';

const about = { provider: 'test', toolNames: [] };
const served = { id: 'id-1', model: 'model-2' };

function overChat(own: object): Reply {
  const reply = openai.startReply(about);
  openai.takeChunk(reply, { ...own, choices: [{ delta: { content: 'Hi.' } }] });
  openai.takeChunk(reply, { id: 'other', choices: [{ delta: {}, finish_reason: 'stop' }] });
  return openai.finishReply(reply);
}

function overMessages(own: object): Reply {
  const reply = anthropic.startReply(about);
  anthropic.takeEvent(reply, { type: 'message_start', message: { ...own, role: 'assistant', content: [] } });
  anthropic.takeEvent(reply, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi.' } });
  anthropic.takeEvent(reply, { type: 'message_delta', delta: { stop_reason: 'end_turn' } });
  anthropic.takeEvent(reply, { type: 'message_stop' });
  return anthropicEnd.finishReply(reply);
}

function overGemini({ id, model }: { id?: string; model?: string }): Reply {
  const reply = gemini.startReply(about);
  const candidates = [{ content: { parts: [{ text: 'Hi.' }] }, finishReason: 'STOP' }];
  gemini.takeChunk(reply, { candidates, ...(id && { responseId: id }), ...(model && { modelVersion: model }) });
  return gemini.finishReply(reply);
}

function overResponses(own: object): Reply {
  const reply = responses.startReply();
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] }];
  responses.takeEvent(reply, { type: 'response.completed', response: { ...own, object: 'response', output } });
  return responsesEnd.finishReply(reply, about);
}

function overPackage({ id, model }: { id?: string; model?: string }): Reply {
  const reply = aiSdk.startReply('test');
  aiSdk.takePart(reply, { type: 'response-metadata', ...(id && { id }), ...(model && { modelId: model }) });
  aiSdk.takePart(reply, { type: 'text-start', id: '1' });
  aiSdk.takePart(reply, { type: 'text-delta', id: '1', delta: 'Hi.' });
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  };
  aiSdk.takePart(reply, { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage });
  return aiSdkEnd.finishReply(reply);
}

test.each([
  ['Chat Completions', overChat],
  ['Messages', overMessages],
  ['Gemini', overGemini],
  ['Responses', overResponses],
  ['a package', overPackage],
])('a reply over %s has the first reported id and model of its provider', (_, read) => {
  expect(read(served)).toMatchObject({ text: 'Hi.', responseId: 'id-1', responseModel: 'model-2' });
  expect(read({})).not.toHaveProperty('responseModel');
});
