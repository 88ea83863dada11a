import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inEarlierVersion } from '#core/llm/ai-sdk/request/earlier-version.ts';
import { renderRequest as renderAiSdk } from '#core/llm/ai-sdk/request/render-request.ts';
import { renderRequest as renderAnthropic } from '#core/llm/anthropic/render-request.ts';
import { renderRequest as renderGemini } from '#core/llm/gemini/render-request.ts';
import type { RoleOrder } from '#core/llm/openai/order-roles.ts';
import { renderRequest as renderOpenai } from '#core/llm/openai/render-request.ts';
import { fullForm, renderRequest as renderResponses } from '#core/llm/openai-responses/render-request.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { type InputItem, isMessage } from '#core/turn/request/item.ts';
import type { Turn } from '#core/turn/turn.ts';
import { seed } from '#test/harness/parts/fix-seed.ts';
import { checkAiSdk } from '#test/llm/check-wire/ai-sdk.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { checkGemini } from '#test/llm/check-wire/gemini.ts';
import { checkOpenai } from '#test/llm/check-wire/openai.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import {
  checkAlternate,
  checkMistralOrder,
  checkNeighbours,
  checkSystemFirst,
  checkUserOnly,
} from '#test/llm/check-wire/openai-roles.ts';
import { someCompactedConversation } from '#test/llm/conversations/arbitrary-compactions.ts';
import { requestsOf } from '#test/llm/conversations/requests-of.ts';

/** Returns a check of requests on this wire, for a server that requires this role order. */
function openai(provider: string, order: Order, { roles, id }: { roles?: RoleOrder; id?: RegExp } = {}) {
  return (request: RoundRequest): string[] => {
    const body = renderOpenai(request, { provider, maxTokensField: 'max_tokens', ...(roles && { roles }) });
    const neighbours = order === anyOrder ? [] : checkNeighbours(body.messages);
    return [...checkOpenai(body, id), ...neighbours, ...order(body.messages)];
  };
}

/** Returns a check of requests on the Responses wire, for a server that made the state of this provider. */
function responses(provider: string, change: Partial<ReturnType<typeof fullForm>> = {}) {
  return (request: RoundRequest): string[] => {
    const own = ownIds(provider, request);
    const body = renderResponses(request, { provider, form: { ...fullForm(true), ...change } });
    const isOwnSeal = (sealed: string) => change.isKept !== false && sealed === SEALS.get(provider);
    return checkOpenaiResponses(body, { isOwnSeal, isOwnId: (id) => own.has(id) });
  };
}

const SEALS = new Map([
  ['openai-responses', 'SEALED'],
  ['azure', 'SEALED BY ANOTHER'],
]);

type Order = (messages: { role: string }[]) => string[];
const anyOrder = () => [];

/** The providers of the conversations with state for a wire, if they have another name than the wire. */
const STATE_OF = new Map([
  ['vllm', 'openai'],
  ['perplexity', 'openai'],
  ['llama-cpp', 'deepseek'],
  ['ai-sdk', 'bedrock'],
]);

/** Returns the problems about ids that the server gave, because a server accepts its own ids. */
function problemsOfOwnIds(wire: string, request: RoundRequest): Set<string> {
  return new Set([...ownIds(STATE_OF.get(wire) ?? wire, request)].map((id) => `the id ${id}`));
}

function ownIds(provider: string, { messages }: RoundRequest): Set<string> {
  const states = messages.flatMap((message) => ('opaque' in message && message.opaque ? [message.opaque] : []));
  const own = states.filter((state) => state.provider === provider);
  const ids = JSON.stringify(own).matchAll(/"(?:call_)?id":("(?:[^"\\]|\\.)*")/g);
  return new Set([...ids].map(([, id = '""']) => JSON.parse(id) as string));
}

/** Returns the parts of the body that depend on the history. */
function geminiBody(request: RoundRequest): object {
  const { generationConfig: _, ...body } = renderGemini(request, 'gemini');
  return body;
}

/** Returns the call in the current interface version, and checks that the earlier version supports it too. */
function aiSdk(request: RoundRequest) {
  const options = renderAiSdk(request, { provider: 'bedrock', mayShow: () => true });
  expect(inEarlierVersion(options).prompt).toHaveLength(options.prompt.length);
  return options;
}

const NINE = /^[a-zA-Z0-9]{9}$/;

const wires = [
  { wire: 'openai', model: 'gpt-4.1', problems: openai('openai', anyOrder) },
  { wire: 'deepseek', model: 'chat', problems: openai('deepseek', anyOrder) },
  { wire: 'vllm', model: 'qwen3.5', problems: openai('openai', checkSystemFirst, { roles: 'system-first' }) },
  { wire: 'perplexity', model: 'sonar', problems: openai('openai', checkAlternate, { roles: 'alternate' }) },
  { wire: 'llama-cpp', model: 'gemma', problems: openai('deepseek', checkUserOnly, { roles: 'user-only' }) },
  { wire: 'mistral', model: 'mistral-small', problems: openai('mistral', checkMistralOrder, { id: NINE }) },
  { wire: 'openai-responses', model: 'gpt-5.6', problems: responses('openai-responses') },
  {
    wire: 'openai-responses',
    model: 'gpt-5.6 without state',
    problems: responses('openai-responses', { isKept: false }),
  },
  { wire: 'openai-responses', model: 'gpt-4.1', problems: responses('openai-responses', { include: [] }) },
  { wire: 'openai-responses', model: 'gpt-5.6 at azure', problems: responses('azure') },
  // The state from Chat Completions or another wire under the same provider name.
  { wire: 'openai-responses', model: 'gpt-5.6 after chat', problems: responses('openai') },
  { wire: 'openai-responses', model: 'gpt-5.6 after claude', problems: responses('anthropic') },
  { wire: 'openai', model: 'gpt-4.1 after responses', problems: openai('openai-responses', anyOrder) },
  {
    wire: 'anthropic',
    model: 'claude-sonnet-4-5',
    problems: (each: RoundRequest) => checkAnthropic(renderAnthropic(each, 'anthropic')),
  },
  {
    wire: 'gemini',
    model: 'gemini-2.5-pro',
    problems: (each: RoundRequest) => checkGemini(geminiBody(each), each.model),
  },
  {
    wire: 'gemini',
    model: 'gemini-3-pro-preview',
    problems: (each: RoundRequest) => checkGemini(geminiBody(each), each.model),
  },
  { wire: 'ai-sdk', model: 'anthropic.claude-sonnet-4-5', problems: (each: RoundRequest) => checkAiSdk(aiSdk(each)) },
  {
    wire: 'ai-sdk',
    model: 'mistral-small',
    problems: (each: RoundRequest) => checkAiSdk(aiSdk(each), NINE),
  },
];

/** The conversations for all wires, made once because they are expensive. */
const conversations = fc.sample(someCompactedConversation, { numRuns: 250, seed });
const requests = (await Promise.all(conversations.map(requestsOf))).flat();

test.for(wires)('every request of any history is valid for $wire/$model', (on) => {
  const wrong = requests.flatMap((request) => {
    const taken = problemsOfOwnIds(on.wire, request);
    const problems = on.problems({ ...request, model: on.model });
    const left = problems.filter((problem) => !taken.has(problem.replace(/^\[\d+\] /, '')));
    return left.length > 0 ? [{ problems: left, request }] : [];
  });

  const shortest = wrong.toSorted((one, other) => sizeOf(one) - sizeOf(other))[0];
  const command = `PROPERTY_SEED=${seed} npx vitest run test/llm/valid-history.test.ts`;
  expect(shortest, `the shortest of ${wrong.length} wrong requests of ${command}`).toBeUndefined();
});

function sizeOf(value: object): number {
  return JSON.stringify(value).length;
}

test('the generated conversations cover all cases', () => {
  const turns = fc.sample(someCompactedConversation, { numRuns: 300, seed: 7 }).flat();
  const calls = turns.flatMap(({ rounds }) => rounds.flatMap((round) => round.calls));
  const hold = (what: (turn: Turn) => boolean) => turns.filter(what).length;

  expect({
    parallel: hold(({ rounds }) => rounds.some((round) => round.calls.length > 1)) > 50,
    severalRounds: hold(({ rounds }) => rounds.filter((round) => round.calls.length > 0).length > 1) > 50,
    state: hold(({ rounds }) => rounds.some(({ opaque }) => opaque)) > 50,
    changed: hold(({ config, rounds }) => rounds.some(({ model }) => model !== config.model)) > 50,
    textBesideCalls: hold(({ rounds }) => rounds.some(({ text }) => text)) > 50,
    answered: hold(({ output }) => Boolean(output)) > 50,
    unanswered: hold(({ output, rounds }) => output === null && rounds.length > 0) > 50,
    assistantFirst: hold(({ input }) => roleOf(input[0]) === 'assistant') > 20,
    lateSystem: hold(({ input }) => input.slice(1).some((item) => roleOf(item) === 'system')) > 50,
    inARow: hold(({ input }) => roleOf(input[0]) === 'user' && roleOf(input[1]) === 'user') > 50,
    summaries: hold(({ compactions }) => compactions.some(({ summary }) => summary)) > 50,
    open: calls.filter(({ result }) => !result).length > 50,
    unknown: calls.filter(({ result }) => result?.error?.category === 'outcome_unknown').length > 20,
    handedOver: calls.filter(({ result }) => result?.status === 'handed_over').length > 50,
    items: hold(({ input }) => input.some((item) => 'type' in item && item.type === 'function_call')) > 50,
    parts: hold(({ input }) => input.some((item) => isMessage(item) && typeof item.content !== 'string')) > 20,
    repaired: hold(({ rounds }) => rounds.some(({ violations }) => violations)) > 20,
    repairFailed: hold(({ status }) => status === 'failed') > 3,
    shownResults: calls.filter(({ result: known }) => known?.parts).length > 20,
    brokenArguments: calls.filter(({ arguments: args }) => args === '{"broken": ').length > 5,
  }).toEqual(Object.fromEntries(KINDS.map((kind) => [kind, true])));
});

const KINDS = [
  ...['parallel', 'severalRounds', 'state', 'changed', 'textBesideCalls', 'answered', 'unanswered', 'assistantFirst'],
  ...['lateSystem', 'inARow', 'open', 'unknown', 'handedOver', 'items', 'parts', 'shownResults'],
  ...['repaired', 'repairFailed', 'brokenArguments', 'summaries'],
];

function roleOf(item: InputItem | undefined): string | null {
  return item && isMessage(item) ? item.role : null;
}
