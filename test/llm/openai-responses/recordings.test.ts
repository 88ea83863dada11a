import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import { fullForm, renderRequest } from '#core/llm/openai-responses/render-request.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import { annotationsWithin } from '#core/turn/hosted/hosted.ts';
import type { Reply } from '#core/turn/reply.ts';
import { heardIn, partsOf } from '#test/llm/openai-responses/heard.ts';
import type { WireBody } from '#test/llm/openai-responses/recorded-exchanges.ts';
import { carryDifferences } from '#test/llm/openai-responses/request-differences.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Exchange, openRecordings, readRecording } from '#test/llm/recordings.ts';

const { post } = makeHttpClient();
const { files, count, replay } = openRecordings('responses', ({ api }) => api === 'responses');

test.each(files)('the reply that is read from $file equals its last snapshot', async ({ file, provider }) => {
  for (const exchange of readRecording<unknown>(file).exchanges) {
    const heard = heardIn(exchange);
    const make = (origin: string) =>
      settleEmpty(openaiResponsesProvider({ name: provider, apiKey: 'none-at-all', baseUrl: `${origin}/v1`, post }));
    // Only a client that requested a background response gets a response that has not ended.
    if (/queued|in_progress/.test(heard.status ?? '')) count('responses that have not ended');
    else {
      const { answer } = await replay(exchange, make);
      if (exchange.response.status !== 200 || heard.error) checkFailure(answer, exchange);
      else checkReply(answer, { provider, exchange });
    }
  }
});

const BY_WORDS: [RegExp, string][] = [
  [/context window/, 'context_length_exceeded'],
  [/not supported with this model/, 'model_unsupported_feature'],
  // A single request above the limit per minute never passes.
  [/Limit 1, Requested 30/, 'context_length_exceeded'],
  [/"server_error"/, 'provider_unavailable'],
];

/** Checks the failure. For some errors the text is more precise than the status. */
function checkFailure(answer: Reply | Error, { response }: Exchange<unknown>) {
  const byStatus = response.status === 401 ? 'provider_authentication_failed' : 'provider_invalid_request';
  const text = JSON.stringify(response.body).replaceAll('\\"', '"');
  const code = BY_WORDS.find(([words]) => words.test(text))?.[1] ?? byStatus;

  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code });
  expect(answer).toMatchObject({ retry: { kind: code === 'provider_unavailable' ? 'later' : 'never' } });
  count(`as ${code}`);
}

function checkReply(answer: Reply | Error, { provider, exchange }: { provider: string; exchange: Exchange<unknown> }) {
  const { text, refusal, calls, usage } = heardIn(exchange);
  if (answer instanceof Error) throw answer;

  expect(answer.text ?? '').toBe(text);
  expect(answer.text?.slice(answer.refusalFrom ?? text.length) ?? '').toBe(refusal);
  expect(answer.calls).toEqual(calls);
  expect(answer.finishReason).toBe(finishOf(exchange));
  expect(answer.usage).toMatchObject({
    input_tokens: usage!.input_tokens,
    output_tokens: usage!.output_tokens,
    total_tokens: usage!.total_tokens,
    cached_input_tokens: usage!.input_tokens_details?.cached_tokens ?? 0,
    cache_write_tokens: usage!.input_tokens_details?.cache_write_tokens ?? 0,
    reasoning_tokens: usage!.output_tokens_details?.reasoning_tokens ?? 0,
  });
  count(`replies (${answer.finishReason})`);
  checkHosted(answer, exchange);

  expect(carryDifferences(sentAgain(answer, provider), [exchange])).toEqual([]);
  count('replies that go back as they came');
}

const HOSTED = /^(web_search|code_interpreter|file_search|image_generation)_call$/;

/** Checks that the reply has each hosted call and each citation of the response, at its place. */
function checkHosted({ hosted, text }: Reply, exchange: Exchange<unknown>) {
  const { items } = heardIn(exchange);
  const calls = items.filter(({ type }) => HOSTED.test(type ?? ''));
  const citations = items.flatMap(({ content }) => partsOf(content).flatMap(({ annotations = [] }) => annotations));

  expect(hosted?.calls ?? []).toMatchObject(calls.map(({ id }) => ({ id, status: 'completed', error: null })));
  expect(hosted?.annotations ?? []).toMatchObject(citations.map(({ url, file_id }) => (url ? { url } : { file_id })));
  expect(annotationsWithin(hosted?.annotations ?? [], text ?? '')).toHaveLength(citations.length);
  expect(calls.length === 0 || hosted?.calls.every(({ input }) => input !== null)).toBe(true);
  if (calls.length > 0) count('replies with hosted calls');
  if (citations.length > 0) count('replies with citations');
}

function finishOf(exchange: Exchange<unknown>): string {
  const { calls, reason, refusal } = heardIn(exchange);
  if (reason) return reason === 'max_output_tokens' ? 'length' : reason;
  if (refusal) return 'refusal';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Returns the next request of a conversation, with this reply and the results of its calls. */
function sentAgain({ text, calls, opaque, hosted }: Reply, provider: string): WireBody {
  const results = calls.map(({ id, name }) => ({
    ...{ role: 'tool' as const, callId: id, name },
    ...{ content: 'ok', isError: false },
  }));
  const state = { opaque: { provider, state: opaque }, hosted: hosted?.calls ?? [] };
  const parts = (hosted?.images ?? []).map(({ url }) => ({ type: 'input_image' as const, image_url: url }));
  const said = { role: 'assistant' as const, content: text, calls, ...state, parts };
  return renderRequest(
    { ...someRequest, messages: [...someRequest.messages, said, ...results] },
    { provider, form: fullForm(false) },
  ) as unknown as WireBody;
}
