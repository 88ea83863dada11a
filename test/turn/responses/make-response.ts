import type { ResponseRequest } from '#core/turn/request/response.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import type { Turn, Work } from '#core/turn/turn.ts';
import { makeTurn } from '../make-turn.ts';

/** The request of a response that shows its reasoning. */
export const askedResponse: ResponseRequest = {
  ...{ model: 'sim/demo', background: false, previous_response_id: null, conversation: null, instructions: null },
  ...{ tools: [], tool_choice: 'auto', parallel_tool_calls: true, max_tool_calls: null, max_output_tokens: null },
  ...{ temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
  text: { format: { type: 'text' }, verbosity: null },
  reasoning: { effort: null, summary: 'auto' },
  ...{ service_tier: 'default', include: [], user: null, safety_identifier: null, prompt_cache_key: null },
};

/** The request of a response that includes the provider's state. */
export const askedForState: ResponseRequest = { ...askedResponse, include: ['reasoning.encrypted_content'] };

export function makeResponse(
  own: Partial<Omit<Turn, 'work' | 'config'>> & { work?: Partial<Work> },
  response = askedResponse,
): Turn {
  const turn = makeTurn(own);
  return { ...turn, config: { ...turn.config, response } };
}

type Item = Record<string, unknown> & { type: string };

/** Returns the output that a client assembles from these events: texts from deltas, the rest from done items. */
export function joinedOutput(events: NumberedEvent[]): Item[] {
  const items: Item[] = [];
  const texts = new Map<string, string>();
  for (const event of events) {
    const { type, output_index: index, item } = event as NumberedEvent & { output_index: number; item: Item };
    if (type === 'response.output_item.done') items[index] = item;
    const key = `${index} ${event.content_index ?? 's'}`;
    if (/_text\.delta$|refusal\.delta$/.test(type)) texts.set(key, (texts.get(key) ?? '') + event.delta);
  }
  return items.map((item, index) => withTexts(item, (part) => texts.get(`${index} ${part}`) ?? ''));
}

function withTexts(item: Item, textOf: (part: number | 's') => string): Item {
  if (item.type === 'reasoning') {
    const parts = item.summary as Item[];
    return { ...item, summary: parts.map(() => ({ type: 'summary_text', text: textOf('s') })) };
  }
  if (item.type !== 'message') return item;
  const content = (item.content as Item[]).map((part, index) => {
    return 'text' in part ? { ...part, text: textOf(index) } : { ...part, refusal: textOf(index) };
  });
  return { ...item, content };
}
