import type { Fields } from '../reply/fields.ts';
import type { CallsAccumulator } from '../reply/gather-calls.ts';
import type { ChunkDelta } from './chunk.ts';

type Said = { text: string; refusalFrom: number | null; calls: CallsAccumulator; state: Fields };

/** Returns a whole message without the deltas before it. Some servers end a stream with the message that it made. */
export function restOf(message: ChunkDelta, { text, refusalFrom, calls, state }: Said): ChunkDelta {
  const fields = Object.entries(message.fields).filter(([name]) => !Object.hasOwn(state, name));
  return {
    ...message,
    text: message.text.startsWith(text) ? message.text.slice(text.length) : '',
    thinking: '',
    refusal: refusalFrom === null ? message.refusal : '',
    calls: calls.all.length > 0 ? [] : message.calls,
    fields: Object.fromEntries(fields),
  };
}
