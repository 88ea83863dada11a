import type { Content, Part } from '@google/genai';
import { argumentsAsObject, resultAsObject } from '../../turn/history/as-object.ts';
import { systemAsUser, systemPrompt } from '../../turn/history/system-prompt.ts';
import { noted, withHostedNotes } from '../../turn/hosted/hosted-notes.ts';
import type { Message, RequestedCall } from '../../turn/message.ts';
import type { Part as MessagePart } from '../../turn/request/item.ts';
import { renderWithNotes, textWithNotes } from '../parts/missing-note.ts';
import { resultsOfBatch } from '../parts/parts-behind-results.ts';
import type { ThoughtState } from '../refusals/thought-state.ts';
import { geminiName } from './gemini-name.ts';
import { withImages } from './generated-images.ts';
import { type KeptPart, readOpaque } from './opaque.ts';
import { renderPart } from './render-parts.ts';

type Conversation = { systemInstruction: string | null; contents: Content[] };

type About = { instructions: string | null; provider: string; model: string; state: ThoughtState };

/**
 * Renders the history as alternating contents of user and model, with the user at both ends and no empty contents.
 * Instructions and the first system messages are the system instruction. A later system message is a marked user
 * message.
 */
export function renderContents(messages: Message[], about: About): Conversation {
  const { instructions, provider, model, state } = about;
  // Gemini refuses its own calls and images without their signatures.
  const { system, rest } = systemPrompt(withHostedNotes(messages, state.isKept ? provider : null), instructions);
  let ids: WireIds = null;
  const contents = rest.flatMap((message, index): Content | [] => {
    if (message.role === 'tool') return user([answerPart(message, ids), ...shownBehind(rest, index)]);
    if (message.role !== 'assistant') return user(said(message));
    if (isSilent(message)) return [];
    const isKept = state.isKept && !message.opaque?.isRefused;
    const round = renderRound(message, provider);
    ids = round.ids;
    return { parts: isKept ? round.parts : withoutSignatures(round.parts), role: 'model' };
  });
  return {
    systemInstruction: system,
    contents: signUnsigned(merge(fromUserToUser(contents)), model, state),
  };
}

/**
 * Returns images and files of a batch's results, after its last result, since earlier models accept none inside a
 * result.
 */
function shownBehind(messages: Message[], index: number): Part[] {
  const results = resultsOfBatch(messages, index);
  return results.flatMap(({ parts = [] }) => parts.flatMap((part) => (isShown(part) ? (renderPart(part) ?? []) : [])));
}

function isShown(part: MessagePart): boolean {
  return part.type !== 'input_text' && renderPart(part) !== null;
}

function said({ role, content, parts }: Extract<Message, { role: 'user' | 'system' }>): Part[] {
  if (role === 'user' && parts) return renderWithNotes(parts, renderPart);
  if (!content.trim()) return [];
  return [{ text: role === 'system' ? systemAsUser(content) : content }];
}

function user(parts: Part[]): Content {
  return { parts, role: 'user' };
}

/** Joins adjacent contents of one role, so that all results of a batch are one answer. */
function merge(contents: Content[]): Content[] {
  const merged: { parts: Part[]; role: string }[] = [];
  for (const { role = 'user', parts = [] } of contents) {
    const last = merged.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else merged.push({ parts: [...parts], role });
  }
  return merged;
}

/** Adds user contents. Gemini requires a user first, and after each content of the model, even after two in a row. */
function fromUserToUser(contents: Content[]): Content[] {
  const given = contents.filter(({ parts }) => parts?.length);
  const first = given.at(0)?.role === 'user' ? [] : [user([{ text: '(The conversation begins here.)' }])];
  const answered = given.flatMap((content, index) => {
    const isLeft = content.role === 'model' && given.at(index + 1)?.role !== 'user';
    return isLeft ? [content, user([{ text: 'Go on.' }])] : [content];
  });
  return [...first, ...answered];
}

type Assistant = Extract<Message, { role: 'assistant' }>;
type Answer = Extract<Message, { role: 'tool' }>;

/** Gemini's ids of a round's calls, by Pawl's ids. Null unless every call has an id. */
type WireIds = ReadonlyMap<string, string> | null;

/** A round for Gemini: its parts, and the ids of its calls. */
type RenderedRound = { parts: Part[]; ids: WireIds };

/** Returns whether a reply has thoughts at most. */
function isSilent({ content, calls, hosted, parts }: Assistant): boolean {
  return !content && calls.length === 0 && !hosted && !parts;
}

/** Renders a round. A reply of Gemini has its own signed parts. Any other reply is its text, then its calls. */
function renderRound(spoken: Assistant, provider: string): RenderedRound {
  const state = spoken.opaque?.provider === provider ? readOpaque(spoken.opaque.state) : null;
  if (!state || !fits(state.parts, spoken)) return { parts: plainParts(noted(spoken)), ids: null };
  const ids = givenIds(state.parts, spoken);
  let at = 0;
  const parts = state.parts.map((kept): Part => {
    if ('whole' in kept) return kept.whole;
    const signed = kept.thoughtSignature ? { thoughtSignature: kept.thoughtSignature } : {};
    if ('call' in kept) return { ...callPart(spoken.calls[kept.call], ids), ...signed };
    const text = spoken.content?.slice(at, at + kept.text) ?? '';
    at += kept.text;
    return { text, ...signed };
  });
  return { parts: withImages(parts, spoken.parts), ids };
}

/** Returns the parts for a server that refuses their signatures. A part with only a signature is omitted. */
function withoutSignatures(parts: Part[]): Part[] {
  return parts.map(({ thoughtSignature: _, ...part }) => part).filter((part) => part.text !== '');
}

/** Renders an answer as an object, which always has text. */
function answerPart({ callId, name, content, isError, parts }: Answer, ids: WireIds): Part {
  const text = parts ? textWithNotes(parts, isShown) : content;
  const response = resultAsObject({ content: text.trim() ? text : '(no output)', isError });
  return { functionResponse: { ...idOf(callId, ids), name: geminiName(name), response } };
}

/** Returns whether the stored round matches the reply, since a dialect may have changed it. */
function fits(parts: KeptPart[], { content, calls }: Assistant): boolean {
  const length = parts.reduce((sum, part) => sum + ('text' in part ? part.text : 0), 0);
  const places = parts.flatMap((part) => ('call' in part ? part.call : []));
  return length === (content ?? '').length && places.join() === [...calls.keys()].join();
}

/** Returns Gemini's ids. Pawl replaces missing, malformed and repeated ids, and only malformed ids are sent back. */
function givenIds(parts: KeptPart[], { calls }: Assistant): WireIds {
  const ids = new Map<string, string>();
  for (const kept of parts) {
    if (!('call' in kept)) continue;
    const own = calls[kept.call]?.id;
    const isGiven = kept.id && own && (kept.id === own || !/^[a-zA-Z0-9_-]{1,64}$/.test(kept.id));
    if (!isGiven || !kept.id) return null;
    ids.set(own, kept.id);
  }
  const isRepeated = new Set(ids.values()).size < ids.size;
  return ids.size > 0 && !isRepeated ? ids : null;
}

function idOf(own: string, ids: WireIds): { id?: string } {
  const id = ids?.get(own);
  return id === undefined ? {} : { id };
}

function plainParts({ content, calls }: Assistant): Part[] {
  return [...(content?.trim() ? [{ text: content }] : []), ...calls.map((call) => callPart(call, null))];
}

function callPart(call: RequestedCall | undefined, ids: WireIds): Part {
  if (!call) return {};
  const { id, name, arguments: text } = call;
  return { functionCall: { args: argumentsAsObject(text), ...idOf(id, ids), name: geminiName(name) } };
}

/** Google's documented signature for calls from other models. */
const NOT_OURS = 'skip_thought_signature_validator';

/** Models that refuse calls without a signature: Gemini from its third generation on. */
const CHECKS_SIGNATURES = /gemini-([3-9]|\d{2}|.*latest)/;

/**
 * Marks unsigned calls, such as calls from a dialect, if the model would refuse them. The first call of a content
 * covers all its calls. Models require signatures only after the last user message, but a mark that disappears later
 * would break the cached prefix.
 */
function signUnsigned(contents: Content[], model: string, { isFilled }: ThoughtState): Content[] {
  if (!isFilled && !CHECKS_SIGNATURES.test(model)) return contents;
  return contents.map((content) => (content.parts ? sign(content, content.parts) : content));
}

function sign(content: Content, parts: Part[]): Content {
  const first = parts.findIndex(({ functionCall }) => functionCall);
  if (first === -1 || parts[first]?.thoughtSignature) return content;
  return { ...content, parts: parts.with(first, { ...parts[first], thoughtSignature: NOT_OURS }) };
}
