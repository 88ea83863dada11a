import { RequestRefused } from '#core/failure.ts';
import { beginHash, extendHash } from '#core/turn/completions/chain-hash.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { type ReadRules, readResponseRequest } from '../../responses/read-response-request.ts';
import type { ReadRequest } from '../../responses/request/read-request.ts';
import type { ResponseBody } from '../../responses/response-body.ts';
import type { CompletionBody } from '../completion-body.ts';
import { clientChoice, clientTools, pawlTools, refuseWaiting } from './client-tools.ts';
import { inCompletionWords, responseIdOf } from './completion-words.ts';
import { MESSAGES_AT_ONCE, type ReadMessages, readMessages } from './read-messages.ts';

/**
 * Reads a Chat Completions request as the equivalent request for a response. Refusals have the field names of the
 * caller.
 */
export async function readCompletion(
  body: CompletionBody,
  rules: ReadRules & { keyId: string | null },
): Promise<ReadRequest> {
  checkCompletion(body);
  const messages = await readMessages(body.messages);
  refuseFunctionsInChain(body, messages);
  refuseEmpty(body, messages);
  const { stop, seed } = body;
  const chat = {
    ...{ items: messages.items, offered: pawlTools(body), logitBias: body.logit_bias ?? {} },
    ...{ stop: typeof stop === 'string' ? [stop] : stop, seed },
    ...{ sent: body, hasTools: Boolean(body.tools ?? body.functions ?? body.pawl?.tools) },
  };
  const request = await inOwnWords(body, () => readResponseRequest(asResponse(body, messages), rules, chat));
  refuseWaiting(body, request.config.tools);
  const usesFunctions = Boolean(body.functions) || (!body.tools && messages.usesFunctions);
  const { hash, before } = await hashesOf(body, messages, rules);
  const completion = { ...(usesFunctions && { usesFunctions }), ...(request.store && hash && { messagesHash: hash }) };
  return {
    ...request,
    config: { ...request.config, completion },
    completion: { isListed: body.store === true, before },
  };
}

/** Does work on the response of a completion. Refusals have the field names of the caller. */
export async function inOwnWords<T>(body: CompletionBody, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof RequestRefused ? inCompletionWords(error, body) : error;
  }
}

/** Returns the create request of a response with the same fields. */
function asResponse(body: CompletionBody, { instructions, items }: ReadMessages): ResponseBody {
  const { model, prompt, store, stream, metadata, temperature, top_p, presence_penalty, frequency_penalty } = body;
  const { parallel_tool_calls, service_tier, user, safety_identifier, prompt_cache_key } = body;
  const { prompt_cache_retention, prompt_cache_options, reasoning_effort, verbosity } = body;
  const { tools: _, previous_completion_id, ...pawl } = body.pawl ?? {};
  return {
    ...{ model, prompt, store, stream, metadata, temperature, top_p, presence_penalty, frequency_penalty },
    ...{ parallel_tool_calls, service_tier, user, safety_identifier, prompt_cache_key },
    ...{ prompt_cache_retention, prompt_cache_options, instructions, pawl },
    // Only the kinds of the parts are read from the message. The items are in `chat.items`.
    input: items.map(({ item }) => item) as ResponseBody['input'],
    previous_response_id: previous_completion_id && responseIdOf(previous_completion_id),
    tools: clientTools(body),
    tool_choice: clientChoice(body),
    max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
    reasoning: { effort: reasoning_effort },
    text: { format: formatOf(body), verbosity },
  };
}

type Format = NonNullable<NonNullable<ResponseBody['text']>['format']>;

function formatOf({ response_format: format }: CompletionBody): Format | null {
  if (format?.type !== 'json_schema') return format ?? null;
  const { strict = null, description = null, ...schema } = format.json_schema;
  return { type: 'json_schema', ...schema, strict, description };
}

/** Refuses messages without content. Only a completion that follows another completion may have instructions alone. */
function refuseEmpty({ pawl }: CompletionBody, { items }: ReadMessages): void {
  if (items.length > 0 || pawl?.previous_completion_id) return;
  const message = '`messages` has no text. Add a user message.';
  throw new RequestRefused(400, 'invalid_value', message, 'messages');
}

/** A result in the older form names no call, so Pawl cannot find the earlier completion for it. */
function refuseFunctionsInChain({ pawl, messages }: CompletionBody, { usesFunctions }: ReadMessages): void {
  if (!pawl?.previous_completion_id || !usesFunctions) return;
  const at = messages.findIndex(({ role }) => role === 'function');
  const param = at === -1 ? 'messages' : `messages[${at}].role`;
  const message = `\`${param}\` has the older form of calls, not supported with \`previous_completion_id\`. Use \`tools\`.`;
  throw new RequestRefused(400, 'unsupported_value', message, param);
}

/** The number of last answers in a request that Pawl looks up among stored completions. */
const MOST_ANSWERS = 16;

/**
 * Returns the hash of all messages, and the hashes of their prefixes that end with an answer, the longest first.
 * Returns none if the request names the previous completion, because its messages are not the whole history.
 */
async function hashesOf(
  { pawl, safety_identifier, user }: CompletionBody,
  { chained }: ReadMessages,
  { project, keyId }: { project: string; keyId: string | null },
): Promise<{ hash: string | null; before: string[] }> {
  if (pawl?.previous_completion_id) return { hash: null, before: [] };
  const answers: string[] = [];
  let hash = beginHash({ project, keyId, subject: safety_identifier ?? user ?? null });
  for (const [index, message] of chained.entries()) {
    if (index % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await yieldToEventLoop();
    hash = extendHash(hash, message);
    if (message.role === 'assistant') answers.push(hash);
  }
  return { hash, before: answers.slice(-MOST_ANSWERS).toReversed() };
}

/** Refuses the fields of Chat Completions that Pawl does not have, and fields that exclude others. */
function checkCompletion(body: CompletionBody): void {
  const problem = unsupportedValue(body);
  if (problem) throw new RequestRefused(400, 'unsupported_value', `${problem[0]} ${problem[1]}`, problem[0]);
  const unsupported = NEVER_SHOWN.find((field) => body[field]);
  if (unsupported) {
    const message = `${unsupported} is not supported: log probabilities are never shown. Leave it out.`;
    throw new RequestRefused(400, 'unsupported_parameter', message, unsupported);
  }
  refuseBoth(body, 'max_tokens', 'max_completion_tokens');
  refuseBoth(body, 'functions', 'tools');
  refuseBoth(body, 'function_call', 'tool_choice');
  if (body.stream_options && !body.stream) {
    const message = '`stream_options` is only allowed with `stream: true`. Leave it out, or request a stream.';
    throw new RequestRefused(400, 'invalid_value', message, 'stream_options');
  }
}

/** Fields that are refused unless they are null or neutral, because Pawl never shows log probabilities. */
const NEVER_SHOWN = ['logprobs', 'top_logprobs'] as const;

/** Returns the first field with an unsupported value, and the reason. */
function unsupportedValue({ n, modalities, service_tier }: CompletionBody): [string, string] | null {
  if ((n ?? 1) > 1) return ['n', 'must be 1. Send a request for each answer.'];
  if (modalities?.some((name) => name !== 'text')) return ['modalities', 'has a form other than text. Request text.'];
  if (service_tier !== 'batch') return null;
  const reason = 'cannot be batch: the client waits for the completion. Use POST /v1/responses with background: true.';
  return ['service_tier', reason];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refuseBoth(body: CompletionBody, older: keyof CompletionBody, newer: keyof CompletionBody): void {
  if (!isGiven(body[older]) || !isGiven(body[newer])) return;
  const message = `${older} is the older name of ${newer}. Give only ${newer}.`;
  throw new RequestRefused(400, 'mutually_exclusive_parameters', message, older);
}
