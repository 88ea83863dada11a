import type { Message } from '../../turn/message.ts';
import type { RoundRequest } from '../provider.ts';
import { isRefusal, isUnknown, mayTeach, type Refused, withoutNames } from '../refusals/ask-again.ts';
import { nextThoughtState } from '../refusals/thought-state.ts';
import { type FilledField, readOpaque } from './opaque.ts';
import { ROLE_ORDERS, type RoleOrder, stricterOrder } from './order-roles.ts';
import type { MaxTokensField, Quirks } from './render-request.ts';

/** The refused request, its quirks, and the quirks of the first attempt. */
export type Tried = { request: RoundRequest; quirks: Required<Quirks>; first: Required<Quirks> };

/**
 * Returns the quirks of the next attempt after a refusal, or null. Only Pawl's own fields change, never the caller's.
 */
export function learnQuirk(refused: Refused, tried: Tried): Required<Quirks> | null {
  if (!mayTeach(refused)) return null;
  const { text } = refused;
  return (
    learnMaxTokens(text, tried) ??
    learnAdded(text, tried) ??
    learnState(text, tried) ??
    learnThoughts(refused, tried) ??
    learnRoles(text, tried)
  );
}

const INSTEAD: Record<MaxTokensField, MaxTokensField> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
};

/** Renames the limit and keeps its value. */
function learnMaxTokens(text: string, { request, quirks, first }: Tried): Required<Quirks> | null {
  const { maxTokensField: field } = quirks;
  const other = INSTEAD[field];
  const isOurs = request.maxOutputTokens !== null && !isGiven(request, field) && !isGiven(request, other);
  if (!isOurs || field !== first.maxTokensField) return null;
  const isRefused = new RegExp(`\\b${field}\\b`).test(text) && isUnknown(text);
  const isRenamed = new RegExp(`\\b(use|rename|replaced? (it )?(by|with))\\W+${other}\\b`, 'i').test(text);
  return isRefused || isRenamed ? { ...quirks, maxTokensField: other } : null;
}

/** Fields that Pawl adds, with the words for them. */
const ADDED = [
  { quirk: 'streamOptions', field: 'stream_options', words: /\b(stream_options|include_usage)\b/ },
  { quirk: 'cacheKey', field: 'prompt_cache_key', words: /\bprompt_cache_key\b|\bprompt.?cach(e|ing)\b/i },
] as const;

function learnAdded(text: string, { request, quirks }: Tried): Required<Quirks> | null {
  const said = withoutNames(text);
  if (!isRefusal(said)) return null;
  const refused = ADDED.find(
    ({ quirk, field, words }) => quirks[quirk] && !isGiven(request, field) && words.test(said),
  );
  return refused ? { ...quirks, [refused.quirk]: false } : null;
}

/** Learns refused state, since some servers refuse fields that they sent with a reply. */
function learnState(text: string, { request: { messages }, quirks }: Tried): Required<Quirks> | null {
  if (!isUnknown(text)) return null;
  const names = new Set([...messages.flatMap(stateNames), ...quirks.filledState]);
  const refused = [...names].filter((name) => !quirks.refusedState.includes(name) && isNamedIn(text, name));
  return refused.length > 0 ? { ...quirks, refusedState: [...quirks.refusedState, ...refused] } : null;
}

function stateNames(message: Message): string[] {
  if (message.role !== 'assistant' || !message.opaque || message.opaque.isRefused) return [];
  const { message: fields, asked } = readOpaque(message.opaque.state);
  return [fields, ...asked.map((call) => call?.fields ?? {})].flatMap(Object.keys);
}

/** Removes state of another model from this request, or fills in state that the server requires. */
function learnThoughts(refused: Refused, { quirks }: Tried): Required<Quirks> | null {
  const missing = filledFieldOf(refused.text);
  const isFilled = missing === null || quirks.filledState.includes(missing);
  const next = nextThoughtState(refused, { isKept: quirks.isKept, isFilled });
  if (next === null) return null;
  const filledState = isFilled || missing === null ? quirks.filledState : [...quirks.filledState, missing];
  return { ...quirks, isKept: next.isKept, filledState: next.isFilled ? filledState : quirks.filledState };
}

function filledFieldOf(text: string): FilledField | null {
  if (/thought.?signature/i.test(text)) return 'extra_content';
  return /reasoning_content|content\[\]\W+thinking/i.test(text) ? 'reasoning_content' : null;
}

function isNamedIn(text: string, name: string): boolean {
  const at = text.indexOf(name);
  return at >= 0 && !/\w/.test(text.charAt(at - 1) + text.charAt(at + name.length));
}

function isGiven({ providerOptions }: RoundRequest, field: string): boolean {
  return Object.hasOwn(providerOptions, field);
}

type Sign = { means: RoleOrder; text: RegExp };

/** The words of chat templates and their servers. The first match counts. */
const SIGNS: Sign[] = [
  {
    means: 'system-first',
    text: /\bsystem\b.{0,80}\b(first|begin\w*|start|top|once|single|position|index)\b|\b(one|single|multiple|two) .?system\b/i,
  },
  {
    means: 'user-only',
    text: /\bsystem\b.{0,40}(\bnot\b|n't\b|\bunsupported\b)|(\bnot\b|n't) support\w* (the |a )?\W?(system|developer)\b|only user and assistant roles|developer instructions? (is|are) not enabled|(unsupported|invalid|unknown) role\W+(system|developer)\b/i,
  },
  {
    means: 'alternate',
    text: /\b(roles?|messages?|assistant|conversations?)\b.{0,120}\balternat|\binterleave\b|unexpected role|invalid_request_message_order/i,
  },
  {
    means: 'alternate',
    text: /\b(last|final|first) (message|role|turn)\b.{0,60}\b(user|tool)\b|\b(start|begin|end|finish)\w* with (a |an |the )?\W?user\b|\bno user (query|message)|\bprefill\b/i,
  },
  {
    means: 'alternate',
    text: /\b(consecutive|successive|2 or more)\b.{0,40}\b(user|assistant|roles?|messages)\b/i,
  },
  { means: 'system-first', text: /roles are supported, got .?system/i },
];

/** Learns the order that the words require. If the request had that order already, it takes the next stricter order. */
function learnRoles(text: string, { quirks }: Tried): Required<Quirks> | null {
  const sign = SIGNS.find((each) => each.text.test(text));
  const next = ROLE_ORDERS[ROLE_ORDERS.indexOf(quirks.roles) + 1];
  return sign && next ? { ...quirks, roles: stricterOrder(sign.means, next) } : null;
}
