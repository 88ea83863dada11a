import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { renderRequest } from '#core/llm/openai/render-request.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import type { Reply } from '#core/turn/reply.ts';
import { heardIn, isErrorStream } from '#test/llm/openai/heard.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import * as recordings from '#test/llm/recordings.ts';

const { post } = makeHttpClient();

type WireCall = { id?: string; function: { name: string; arguments: string } };
type WireMessage = {
  role: string;
  content?: string | { text?: string }[] | null;
  tool_calls?: WireCall[] | null;
  reasoning_content?: string;
};
type Exchange = recordings.Exchange<{ messages?: WireMessage[] }>;
const { files, count, replay } = recordings.openRecordings('openai', ({ api }) => api === 'chat.completions');

test.each(files)('the answers of $file are read as its client reads them', async ({ file, provider }) => {
  const make = (baseUrl: string) =>
    settleEmpty(openaiProvider({ name: provider, apiKey: 'none-at-all', baseUrl, post }));
  const { exchanges, traits } = recordings.readRecording<{ messages?: WireMessage[] }>(file);

  for (const [index, exchange] of exchanges.entries()) {
    const { answer } = await replay(exchange, make);
    const next = exchanges[index + 1];
    if (exchange.response.status !== 200 || isErrorStream(exchange)) checkFailure(answer, exchange);
    else if (isUnusable(exchange)) checkUnusable(answer);
    else checkReply(answer, exchange);
    const isPartial = traits.includes('tool-loop-partial');
    if (next && !(answer instanceof Error)) checkCarried(answer, { provider, exchange, next, isPartial });
  }
});

const wanted = new Map([
  [401, 'provider_authentication_failed'],
  [404, 'provider_model_not_found'],
  [429, 'provider_rate_limited'],
]);

const BY_WORDS: [RegExp, string][] = [
  [/context length/, 'context_length_exceeded'],
  [/tool_use_failed/, 'provider_bad_response'],
  [/not supported with this model/, 'model_unsupported_feature'],
];

/** Checks the failure. For some errors the text is more precise than the status. */
function checkFailure(answer: Reply | Error, { response }: Exchange) {
  const text = JSON.stringify(response.body);
  const byStatus = wanted.get(response.status) ?? 'provider_invalid_request';
  const code = BY_WORDS.find(([words]) => words.test(text))?.[1] ?? byStatus;

  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code });
  count(`as ${code}`);
}

/** Returns whether a reply is empty, which the rules of Pawl refuse. */
function isUnusable(exchange: Exchange): boolean {
  const seen = heardIn(exchange);
  return !/length|filter/.test(seen.finish ?? '') && seen.calls.length === 0 && !seen.text.trim();
}

function checkUnusable(answer: Reply | Error) {
  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code: 'provider_bad_response' });
  count(`unusable (${String(answer).match(/\(([^)]*)\)/)?.[1]})`);
}

function checkReply(answer: Reply | Error, exchange: Exchange) {
  const { text, refusal, finish, calls, usage } = heardIn(exchange);
  if (answer instanceof Error) throw answer;

  expect(answer.text ?? '').toBe(text);
  expect(answer.text?.slice(answer.refusalFrom ?? text.length) ?? '').toBe(refusal);
  expect(answer.finishReasonRaw).toBe(finish);
  expect(answer.finishReason).not.toBe('other');
  expect(answer.calls.map(({ name, arguments: args }) => ({ name, args }))).toEqual(
    calls.map(({ name, args }) => ({ name, args: args || '{}' })),
  );
  if (usage) {
    expect(answer.usage).toMatchObject({ input_tokens: usage.prompt_tokens });
    expect(answer.usage!.total_tokens).toBeGreaterThanOrEqual(usage.total_tokens);
    count('usages');
  }
  count('replies');
  if (refusal) count('refused in a separate field');
}

type Carrying = { provider: string; exchange: Exchange; next: Exchange; isPartial: boolean };

/** Checks that the reply that the client sent back equals our reply, and the reply that Pawl would send back. */
function checkCarried(reply: Reply, { provider, exchange, next, isPartial }: Carrying) {
  const before = exchange.request?.body.messages?.length;
  const carried = (next.request?.body.messages ?? []).slice(before).filter(({ role }) => role === 'assistant');
  if (before === undefined || carried.length === 0) return count('rounds not carried on');

  // A client may add its own calls and name calls without an id. Some clients run only the first call.
  const theirs = carried.flatMap((message) => message.tool_calls ?? []).map(comparable);
  const ours = reply.calls.map((call) => comparable({ id: call.id, function: call }));
  for (const call of isPartial ? ours.slice(0, 1) : ours) {
    expect(theirs).toContainEqual(call.id ? call : { ...call, id: expect.any(String) });
  }
  count('rounds carried on');

  // Some clients format JSON differently, or add their observations.
  const text = carried.map(textOf).join('').replace(/\s/g, '');
  if (text && !text.startsWith('[empty') && reply.text) expect(text).toContain(reply.text.replace(/\s/g, ''));

  const [said] = carried;
  const rendered = renderAgain(reply, provider);
  if (said?.reasoning_content && rendered?.reasoning_content) {
    expect(rendered.reasoning_content.trim()).toBe(said.reasoning_content.trim());
    count('reasoning sent back');
  }
}

function comparable({ id, function: { name, arguments: args } }: WireCall) {
  return { id: id ?? '', name, arguments: JSON.stringify(JSON.parse(args || '{}')) };
}

function textOf({ content }: WireMessage): string {
  return Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : (content ?? '');
}

function renderAgain({ text, calls, opaque }: Reply, provider: string) {
  const message = { role: 'assistant', content: text, calls, opaque: { provider, state: opaque } } as const;
  const request = { ...someRequest, instructions: null, messages: [message] };
  return renderRequest(request, { provider, maxTokensField: 'max_tokens' }).messages[0] as WireMessage | undefined;
}
