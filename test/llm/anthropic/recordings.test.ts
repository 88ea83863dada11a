import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { renderRequest } from '#core/llm/anthropic/render-request.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import type { Reply } from '#core/turn/reply.ts';
import { heardIn } from '#test/llm/anthropic/heard.ts';
import * as recorded from '#test/llm/anthropic/recorded.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import * as recordings from '#test/llm/recordings.ts';

const { post } = makeHttpClient();

type Exchange = recordings.Exchange<recorded.WireBody>;

const { files, count, replay } = recordings.openRecordings('anthropic', ({ api }) => api === 'messages');
const make = (baseUrl: string) =>
  settleEmpty(anthropicProvider({ name: 'anthropic', apiKey: 'none-at-all', baseUrl, post }));

test.each(files)('the answers of $file are read and sent back as its client does', async ({ file }) => {
  const { exchanges } = recordings.readRecording<recorded.WireBody>(file);
  const replies: Reply[] = [];

  for (const exchange of exchanges) {
    if (exchange.request) checkRequest(exchange.request.body, replies);
    const { answer } = await replay(exchange, make);
    if (exchange.response.status !== 200) checkFailure(answer, exchange);
    else if (isEmpty(exchange)) checkEmpty(answer);
    else replies.push(checkReply(answer, exchange));
  }
});

const WANTED = new Map([
  [400, 'provider_invalid_request'],
  [401, 'provider_authentication_failed'],
  [404, 'provider_model_not_found'],
]);

function checkFailure(answer: Reply | Error, { response }: Exchange) {
  const { error } = response.body as { error: { type: string; message: string } };
  const isUnsupported = /^This model does not support/.test(error.message);

  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({
    code: isUnsupported ? 'model_unsupported_feature' : WANTED.get(response.status),
    retry: { kind: 'never' },
    provider: { status: response.status, code: error.type },
  });
  count(`refused ${response.status}`);
}

function isEmpty(exchange: Exchange): boolean {
  const { content } = heardIn(exchange);
  return content.every(({ type, text }) => type === 'text' && !String(text).trim());
}

function checkEmpty(answer: Reply | Error) {
  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code: 'provider_bad_response' });
  count('empty replies, to ask again');
}

function checkReply(answer: Reply | Error, exchange: Exchange): Reply {
  const { content, stop_reason, usage } = heardIn(exchange);
  if (answer instanceof Error) throw answer;
  const texts = content.filter(({ type }) => type === 'text').map(({ text }) => text);
  const input = (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);

  expect((answer.text ?? '').replaceAll('\n\n', '')).toBe(texts.join('').replaceAll('\n\n', ''));
  expect(answer.calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments) }))).toEqual(
    content.flatMap(({ type, id, name, input: args }) => (type === 'tool_use' ? [{ id, name, arguments: args }] : [])),
  );
  expect(answer.finishReasonRaw).toBe(stop_reason);
  expect(answer.finishReason).not.toBe('other');
  expect(answer.usage).toMatchObject({
    input_tokens: input + (usage.cache_creation_input_tokens ?? 0),
    output_tokens: usage.output_tokens,
  });
  checkGoesBack(answer, content);
  count('replies');
  if (answer.opaque) count('replies with state');
  return answer;
}

/** Checks that Pawl would send back each block of a reply, except blank text and a thought alone. */
function checkGoesBack({ text, calls, opaque }: Reply, content: recorded.WireBlock[]) {
  if (!text?.trim() && calls.length === 0) return;
  const spoken = {
    role: 'assistant' as const,
    content: text,
    calls,
    ...(opaque ? { opaque: { provider: 'anthropic', state: opaque } } : {}),
  };
  const after = { role: 'user' as const, content: 'Go on' };
  const { messages } = renderRequest(
    { ...someRequest, messages: [someRequest.messages[0]!, spoken, after] },
    'anthropic',
  );
  const whole = content.filter(recorded.isSaying);

  expect(messages[1]!.content.map(recorded.plainBlock)).toEqual(whole.map(recorded.plainBlock));
}

/** Checks that the stored conversation renders to an equivalent of the request of its client. */
function checkRequest(body: recorded.WireBody, replies: Reply[]) {
  const skipped = whyNotOurs(body);
  if (skipped) return count(`requests skipped (${skipped})`);
  const rendered = renderRequest(recorded.inOurWords(body, replies), 'anthropic') as recorded.WireBody;
  const theirs = recorded.meaningOf(body) as recorded.WireBody;
  const ours = recorded.meaningOf(rendered) as recorded.WireBody;

  // Some clients omit the text beside calls. Pawl never does.
  const isLeftOut = textsBesideCalls(ours) > 0 && textsBesideCalls(theirs) === 0;
  expect(isLeftOut ? withoutTextsBesideCalls(ours) : ours).toEqual(theirs);
  count(isLeftOut ? 'requests rendered alike but for texts the client dropped' : 'requests rendered alike');
}

function whyNotOurs({ messages }: recorded.WireBody): string | null {
  if (messages.some(({ role }) => role === 'system')) return 'beta messages that add tools';
  const blocks = messages.flatMap(({ content }) => recorded.blocksOf(content));
  const results = blocks.flatMap(({ type, content }) =>
    type === 'tool_result' && Array.isArray(content) ? content : [],
  );
  return results.some(({ type }) => type !== 'text') ? 'results that are no text' : null;
}

function textsBesideCalls(body: recorded.WireBody): number {
  const count = ({ messages }: recorded.WireBody) =>
    messages.flatMap(({ content }) => recorded.blocksOf(content)).length;
  return count(body) - count(withoutTextsBesideCalls(body));
}

function withoutTextsBesideCalls(body: recorded.WireBody): recorded.WireBody {
  const messages = body.messages.map(({ role, content }) => {
    const blocks = recorded.blocksOf(content);
    const hasCalls = blocks.some(({ type }) => type === 'tool_use');
    return { role, content: hasCalls ? blocks.filter(({ type }) => type !== 'text') : blocks };
  });
  return { ...body, messages };
}
