import type { Part } from '@google/genai';
import { argumentsObject } from '../../turn/arguments-object.ts';
import type { AskedCall, Message } from '../../turn/message.ts';
import { responseObject } from '../../turn/response-object.ts';
import { type KeptPart, readOpaque } from './opaque.ts';
import { wireName } from './wire-name.ts';

export type Assistant = Extract<Message, { role: 'assistant' }>;
export type Answer = Extract<Message, { role: 'tool' }>;

/** A round as Gemini takes it: its parts, and whether its calls carry the ids that Gemini gave them. */
export type RenderedRound = { parts: Part[]; hasIds: boolean };

/**
 * A reply's text and calls as parts of one content. What came from Gemini goes back in the parts it came in, each
 * with its own signature; what came from elsewhere is its text, then its calls.
 */
export function renderRound(spoken: Assistant, provider: string): RenderedRound {
  const state = spoken.opaque?.provider === provider ? readOpaque(spoken.opaque.state) : null;
  if (!state || !fits(state.parts, spoken)) return { parts: plainParts(spoken), hasIds: false };
  const hasIds = spoken.calls.length > 0 && state.parts.every((kept) => !('call' in kept) || isSameId(kept, spoken));
  let at = 0;
  const parts = state.parts.map((kept): Part => {
    if ('whole' in kept) return kept.whole;
    const signed = kept.thoughtSignature ? { thoughtSignature: kept.thoughtSignature } : {};
    if ('call' in kept) return { ...callPart(spoken.calls[kept.call], hasIds), ...signed };
    const text = spoken.content?.slice(at, at + kept.text) ?? '';
    at += kept.text;
    return { text, ...signed };
  });
  return { parts, hasIds };
}

/** An answer as Gemini takes it: an object, which is never empty of words. */
export function answerPart({ callId, name, content, isError }: Answer, hasIds: boolean): Part {
  const response = responseObject({ content: content.trim() ? content : '(no output)', isError });
  return { functionResponse: { ...(hasIds ? { id: callId } : {}), name: wireName(name), response } };
}

/** Whether the stored round is still the one that came: a dialect may have rewritten it. */
function fits(parts: KeptPart[], { content, calls }: Assistant): boolean {
  const length = parts.reduce((sum, part) => sum + ('text' in part ? part.text : 0), 0);
  const places = parts.flatMap((part) => ('call' in part ? part.call : []));
  return length === (content ?? '').length && places.join() === [...calls.keys()].join();
}

/** A missing, malformed or repeated id was replaced when the round was saved, and is nothing to Gemini. */
function isSameId(kept: { call: number; id?: string | undefined }, { calls }: Assistant): boolean {
  return Boolean(kept.id) && kept.id === calls[kept.call]?.id;
}

function plainParts({ content, calls }: Assistant): Part[] {
  return [...(content?.trim() ? [{ text: content }] : []), ...calls.map((call) => callPart(call, false))];
}

function callPart(call: AskedCall | undefined, hasId: boolean): Part {
  if (!call) return {};
  const { id, name, arguments: text } = call;
  return { functionCall: { ...(hasId ? { id } : {}), name: wireName(name), args: argumentsObject(text) } };
}
