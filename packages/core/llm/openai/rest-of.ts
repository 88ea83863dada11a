import type { CallsAccumulator } from '../reply/gather-calls.ts';
import type { Fields } from '../reply/join-fields.ts';
import type { CallDelta, ChunkDelta } from './chunk.ts';

/** Images (OpenRouter) or audio, which Pawl neither stores nor shows. */
export function hasMedia({ content, images, audio }: ChunkDelta): boolean {
  const isMedia = Array.isArray(content) && content.some(({ type }) => /image|audio|video/.test(type ?? ''));
  return isMedia || (Array.isArray(images) && images.length > 0) || Boolean(audio);
}

/** Also if the delta has no arguments yet: the call's name comes before them. */
export function hasCall(delta: ChunkDelta): boolean {
  return !callsOf(delta).every(isBlank);
}

/** Returns the deltas of calls. */
export function callsOf({ tool_calls, function_call }: ChunkDelta): CallDelta[] {
  return tool_calls?.length || !function_call ? (tool_calls ?? []) : [{ function: function_call }];
}

/** Returns the text of a delta. */
export function textOf({ content }: ChunkDelta): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.reduce((text, part) => text + (part.text ?? ''), '');
}

type Said = { text: string; refusalFrom: number | null; calls: CallsAccumulator; state: Fields };

/** Returns what a whole message says beyond the deltas before it. Some servers end a stream with the message that it made. */
export function restOf(message: ChunkDelta, { text, refusalFrom, calls, state }: Said): ChunkDelta {
  const whole = textOf(message);
  const { content: _, refusal, tool_calls: __, function_call: ___, ...fields } = message;
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(state, name))),
    content: whole.startsWith(text) ? whole.slice(text.length) : null,
    refusal: refusalFrom === null ? refusal : null,
    tool_calls: calls.all.length > 0 ? null : callsOf(message),
  };
}

/** Some servers send a call with all its fields empty if there is none. */
export function isBlank({ id, function: called, index: _index, type: _type, ...rest }: CallDelta): boolean {
  return !id && !called?.name && !called?.arguments && !Object.values(rest).some(Boolean);
}
