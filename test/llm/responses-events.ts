type Fields = Record<string, unknown>;

/** One item of a response, and the pieces of its text or arguments. */
export type ScriptedItem = { item: { type: string } & Fields; pieces?: string[] };

/** The end of a response: its status, the reason if incomplete, its error and its usage. */
export type ResponseEnd = {
  status?: 'completed' | 'incomplete' | 'failed';
  reason?: string | null;
  error?: object | null;
  usage?: object | null;
};

export function responsesEvent(type: string, more: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

export function responseObject(output: object[], { status = 'completed', ...end }: ResponseEnd = {}) {
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1_790_000_000, status, model: 'some-model', store: false },
    ...{ error: end.error ?? null, incomplete_details: end.reason == null ? null : { reason: end.reason } },
    ...{ instructions: null, parallel_tool_calls: true, tool_choice: 'auto', tools: [], metadata: {} },
    ...{ output, service_tier: 'default', usage: end.usage ?? null },
  };
}

/** Returns the last event of a stream, with the whole response. */
export function endEvent(output: object[], end: ResponseEnd = {}): string {
  return responsesEvent(`response.${end.status ?? 'completed'}`, { response: responseObject(output, end) });
}

/** Returns a whole stream: the events of each item in sequence, and then the response with all items. */
export function responseStream(items: ScriptedItem[], end: ResponseEnd = {}): string[] {
  const events = items.flatMap((scripted, index) => {
    const { opening, pieces, closing } = itemEvents(scripted, index);
    return [...opening, ...pieces, ...closing];
  });
  return [...startEvents(), ...events, endEvent(outputOf(items), end)];
}

export function outputOf(items: ScriptedItem[]): object[] {
  return items.map(({ item }) => item);
}

export function startEvents(): string[] {
  const response = { ...responseObject([]), status: 'in_progress' };
  return ['response.created', 'response.in_progress'].map((type, at) =>
    responsesEvent(type, { sequence_number: at, response }),
  );
}

type ItemEvents = { opening: string[]; pieces: string[]; closing: string[] };

/** Returns the events of one item: it is added, grows by pieces, and is done. */
export function itemEvents({ item, pieces = [] }: ScriptedItem, index: number): ItemEvents {
  const about = { output_index: index, item_id: item.id };
  const grown = growingEvents(item, pieces, about);
  return {
    opening: [
      responsesEvent('response.output_item.added', { output_index: index, item: begun(item) }),
      ...grown.opening,
    ],
    pieces: grown.pieces,
    closing: [...grown.closing, responsesEvent('response.output_item.done', { output_index: index, item })],
  };
}

function begun(item: ScriptedItem['item']): object {
  const status = 'status' in item ? { status: 'in_progress' } : {};
  switch (item.type) {
    case 'message':
      return { ...item, ...status, content: [] };
    case 'reasoning':
      return { ...item, ...status, summary: [], encrypted_content: 'not-yet-whole' };
    case 'function_call':
      return { ...item, ...status, arguments: '' };
    default:
      return { ...item, ...status };
  }
}

function growingEvents({ type, ...item }: ScriptedItem['item'], pieces: string[], about: object): ItemEvents {
  const text = pieces.join('');
  const events = (name: string, more: object) => responsesEvent(`response.${name}`, { ...about, ...more });
  const deltas = (name: string, more: object = {}) => pieces.map((delta) => events(name, { ...more, delta }));
  if (type === 'function_call') {
    return {
      opening: [],
      pieces: deltas('function_call_arguments.delta'),
      closing: [events('function_call_arguments.done', { name: item.name, arguments: text })],
    };
  }
  if (type === 'reasoning' && pieces.length > 0) {
    const at = { summary_index: 0 };
    return {
      opening: [events('reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })],
      pieces: deltas('reasoning_summary_text.delta', at),
      closing: [
        events('reasoning_summary_text.done', { ...at, text }),
        events('reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text } }),
      ],
    };
  }
  if (type !== 'message') return { opening: [], pieces: [], closing: [] };
  const at = { content_index: 0 };
  const part = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] });
  return {
    opening: [events('content_part.added', { ...at, part: part('') })],
    pieces: deltas('output_text.delta', { ...at, logprobs: [] }),
    closing: [
      events('output_text.done', { ...at, text, logprobs: [] }),
      events('content_part.done', { ...at, part: part(text) }),
    ],
  };
}

export function messageItem(pieces: string[], more: object = {}): ScriptedItem {
  const content = [{ type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] }];
  return {
    item: { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content, ...more },
    pieces,
  };
}

/** Returns encrypted reasoning with a summary in pieces. */
export function reasoningItem(pieces: string[], more: object = {}): ScriptedItem {
  const summary = pieces.length > 0 ? [{ type: 'summary_text', text: pieces.join('') }] : [];
  return { item: { id: 'rs_1', type: 'reasoning', summary, encrypted_content: 'SEALED', ...more }, pieces };
}

type ScriptedCall = { id: string; name: string; arguments: string[] };

export function callItem({ id, name, arguments: pieces }: ScriptedCall, more: object = {}): ScriptedItem {
  const item = { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name };
  return { item: { ...item, arguments: pieces.join(''), ...more }, pieces };
}
