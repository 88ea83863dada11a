import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { Reply } from '#core/turn/reply.ts';
import { asGoogleReads, essence } from '#test/llm/gemini/equivalent.ts';
import { heardIn, inWords } from '#test/llm/gemini/heard.ts';
import { isReply, storedForm, type WireBody } from '#test/llm/gemini/stored-form.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Exchange, openRecordings, readRecording } from '#test/llm/recordings.ts';

const { post } = makeHttpClient();

const make = (baseUrl: string) => geminiProvider({ name: 'gemini', apiKey: 'none-at-all', baseUrl, post });
const { files, count, replay } = openRecordings('gemini', ({ api }) => /generateContent/i.test(api));

test.each(files)('$file is read and sent as its client does', async ({ file }) => {
  const { exchanges } = readRecording<unknown>(file);
  const replies: Reply[] = [];

  for (const [index, exchange] of exchanges.entries()) {
    const body = exchange.request ? asGoogleReads(exchange.request.body) : null;
    const request = body ? storedForm(body, replies) : someRequest;
    const { answer, sent } = await replay(inWords(exchange), make, request);
    if (body) checkRequest(sent as WireBody, body, replies);
    if (body && index > 0) checkCarried(body, asGoogleReads(exchanges[index - 1]!.request?.body), replies.at(-1));
    if (exchange.response.status !== 200) checkFailure(answer, exchange);
    else if (isUnusable(exchange)) checkUnusable(answer);
    else replies.push(checkReply(answer, exchange));
  }
});

function checkReply(answer: Reply | Error, exchange: Exchange<unknown>): Reply {
  const { text, calls, signed, finish, usage, queries, cited } = heardIn(exchange);
  if (answer instanceof Error) throw answer;

  expect(answer.text ?? '').toBe(text);
  expect(answer.calls.map(({ name, arguments: args }) => ({ name, args: JSON.parse(args) }))).toEqual(calls);
  expect(answer.finishReasonRaw).toBe(finish);
  expect(answer.finishReason === 'other').toBe(finish === 'OTHER');
  expect(answer.usage?.total_tokens).toBe(usage?.totalTokenCount);
  expect(JSON.stringify(answer.opaque ?? '').match(/thoughtSignature/g)?.length ?? 0).toBe(signed);
  checkHosted(answer, queries, cited);
  count('replies');
  if (usage) count('usages');
  if (signed) count('replies with signatures');
  return answer;
}

/** Checks that a search is one call with its queries, and that each citation has the piece of the text. */
function checkHosted({ text, hosted }: Reply, queries: string[] | null, cited: unknown[]) {
  const annotations = hosted?.annotations ?? [];
  const pieces = annotations.map((each) => (text ?? '').slice(each.start_index, each.end_index));
  const urls = annotations.map((each) => (each.type === 'url_citation' ? each.url : each.file_id));

  expect(hosted?.calls.map(({ type, input }) => [type, input])).toEqual(
    queries ? [['web_search', { queries }]] : undefined,
  );
  expect(pieces.map((piece, index) => [piece, urls[index]])).toEqual(cited);
  if (queries) count('searches');
  if (cited.length > 0) count('replies with citations');
}

/** Returns whether Gemini could not read the call of the model. */
function isUnusable(exchange: Exchange<unknown>): boolean {
  return (heardIn(exchange).finish ?? '').startsWith('MALFORMED');
}

function checkUnusable(answer: Reply | Error) {
  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
  count(`unusable (${String(answer).match(/\(([^)]*)\)/)?.[1]})`);
}

function checkFailure(answer: Reply | Error, { response: { status, body } }: Exchange<unknown>) {
  const codes: Record<number, string> = {
    400: 'provider_invalid_request',
    401: 'provider_authentication_failed',
    403: 'provider_permission_denied',
    404: 'provider_model_not_found',
    429: 'provider_rate_limited',
  };
  const code = JSON.stringify(body).includes('API_KEY_INVALID') ? 'provider_authentication_failed' : codes[status];
  const isRateLimited = status === 429;

  expect(answer).toBeInstanceOf(ProviderFailed);
  expect(answer).toMatchObject({ code, provider: { status } });
  expect(answer).toMatchObject({
    retry: isRateLimited ? { kind: 'rate-limited', afterMs: 48_000 } : { kind: 'never' },
  });
  count(`as ${code}`);
}

/** Checks that the stored conversation renders to the request of the client. `essence` removes accepted differences. */
function checkRequest(sent: WireBody, recorded: WireBody, replies: Reply[]) {
  const ours = essence(sent);
  const theirs = essence(recorded);
  expect(withoutMedia(ours)).toEqual(withoutMedia(theirs));
  count('requests sent alike');

  const given = new Set(replies.flatMap((reply) => reply.calls.map(({ id }) => id)));
  const ids = sent.contents
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.functionCall ?? part.functionResponse)?.id ?? []);
  for (const id of ids) expect(given).toContain(id);
  expect(sent.contents.map(({ role }) => role)).toEqual(
    sent.contents.map((_, index) => (index % 2 ? 'model' : 'user')),
  );
}

/** Removes contents without parts. Pawl replaces a content of media by a sentence, or omits it. */
function withoutMedia(body: ReturnType<typeof essence>) {
  return { ...body, contents: body.contents.filter(({ parts }) => parts.length > 0) };
}

/** Checks that the model content in the next request equals the reply. */
function checkCarried(body: WireBody, before: WireBody, reply: Reply | undefined) {
  const next = body.contents.slice(before.contents.length).find(({ role }) => role === 'model');
  if (!next || !reply) return count('rounds not carried on');
  expect(isReply(next, reply)).toBe(true);
  count('rounds carried on');
}
