import type { WireBlock } from '#test/llm/anthropic/recorded.ts';
import type { Exchange } from '#test/llm/recordings.ts';

type Count = Record<string, number | null>;
type Event = {
  type: string;
  index?: number;
  content_block?: WireBlock;
  delta?: Record<string, unknown>;
  usage?: Count;
  message?: { usage: Count };
};
type Whole = { content: WireBlock[]; stop_reason: string; usage: Count };

/** Returns a recorded message as if sent whole. This second reader is independent of the adapter, and simple. */
export function heardIn({ response: { body } }: Exchange<unknown>): Whole {
  if (typeof body !== 'string') return body as Whole;
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const events: Event[] = lines.map((line) => JSON.parse(line.slice(5)));
  const starts = events.filter(({ type }) => type === 'content_block_start');
  const end = events.find(({ type }) => type === 'message_delta');
  return {
    content: starts.map(({ index, content_block }) => {
      const pieces = events.filter((event) => event.type === 'content_block_delta' && event.index === index);
      const join = (field: string) => pieces.map(({ delta }) => delta?.[field] ?? '').join('');
      const grown = ['text', 'thinking', 'signature'].filter((field) => field in content_block!);
      const json = join('partial_json');
      return {
        ...content_block!,
        ...Object.fromEntries(grown.map((field) => [field, join(field)])),
        ...(json ? { input: JSON.parse(json) } : {}),
      };
    }),
    stop_reason: String(end?.delta?.stop_reason),
    usage: { ...events[0]!.message?.usage, ...end?.usage },
  };
}
