export const wires = ['openai', 'openai-responses', 'anthropic', 'gemini'] as const;
export type Wire = (typeof wires)[number];

const BLOCK = 64 * 1024;

/** Yields items of a response that are added or done, each with its own index and ids. */
export function* endlessItems(
  how: 'added' | 'done',
  item: { type: string; [field: string]: unknown },
): Generator<string> {
  for (let first = 0; ; first += 100) {
    const places = Array.from({ length: 100 }, (_, index) => first + index);
    const items = places.map((at) => ({
      output_index: at,
      item: { ...item, id: `item_${at}`, ...('call_id' in item ? { call_id: `call_${at}` } : {}) },
    }));
    yield items.map((each) => event('openai-responses', { type: `response.output_item.${how}`, ...each })).join('');
  }
}

/** Yields blocks of a repeated text until the reader stops. The block is made once. */
export function* endless(text: string): Generator<Uint8Array> {
  const block = Buffer.from(text.repeat(Math.max(1, Math.floor(BLOCK / text.length))));
  for (;;) yield block;
}

export function* after(first: string, rest: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  yield first;
  yield* rest;
}

export function event(wire: Wire, data: object): string {
  return `${named(wire, data)}data: ${JSON.stringify(data)}\n\n`;
}

export function named(wire: Wire, data: object = {}): string {
  const isNamed = wire === 'anthropic' || wire === 'openai-responses';
  return isNamed ? `event: ${'type' in data ? data.type : 'message'}\n` : '';
}

export function piece(args: string): object {
  return chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: args } }] });
}

function chunk(delta: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function parts(all: object[], finishReason?: string): object {
  return { candidates: [{ content: { parts: all }, finishReason }] };
}

function completed(output: object[]): object {
  return { type: 'response.completed', response: { object: 'response', status: 'completed', output } };
}

function functionCall(id: string, name: string, args: string): object {
  return { type: 'function_call', call_id: id, name, arguments: args };
}

export function opening(wire: Wire): string {
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  return wire === 'anthropic' ? event(wire, block) : '';
}

export function textDelta(wire: Wire, text: string): object {
  if (wire === 'openai') return chunk({ content: text });
  if (wire === 'openai-responses') return { type: 'response.output_text.delta', output_index: 0, delta: text };
  if (wire === 'gemini') return parts([{ text }]);
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
}

export function endlessArguments(wire: Wire): Iterable<string | Uint8Array> {
  const part = 'x'.repeat(1000);
  if (wire === 'openai') {
    const more = chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] });
    return after(event(wire, piece('{"a":"')), endless(event(wire, more)));
  }
  if (wire === 'openai-responses') {
    const added = { type: 'response.output_item.added', output_index: 0, item: functionCall('x', 'f', '') };
    const more = { type: 'response.function_call_arguments.delta', output_index: 0, delta: part };
    return after(event(wire, added), endless(event(wire, more)));
  }
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'x', name: 'f' } };
  const more = { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: part } };
  return after(event(wire, start), endless(event(wire, more)));
}

export function manyItems(count: number): object {
  return completed(Array.from({ length: count }, () => ({ type: 'reasoning', summary: [] })));
}

export function manyCalls(wire: Wire, count: number): object {
  const numbers = Array.from({ length: count }, (_, index) => index);
  if (wire === 'openai') {
    return chunk({
      tool_calls: numbers.map((index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: '{}' } })),
    });
  }
  if (wire === 'openai-responses') return completed(numbers.map((index) => functionCall(`c${index}`, 'f', '{}')));
  if (wire === 'gemini') return parts(numbers.map(() => ({ functionCall: { name: 'f', args: {} } })));
  return {
    type: 'message',
    stop_reason: 'tool_use',
    content: numbers.map((index) => ({ type: 'tool_use', id: `c${index}`, name: 'f', input: {} })),
  };
}

export function oneCall(wire: Wire, name: string, args: string): string[] {
  if (wire === 'gemini') return [event(wire, parts([{ functionCall: { name, args: {} } }], 'STOP'))];
  if (wire === 'openai-responses') return [event(wire, completed([functionCall('x', name, args)]))];
  if (wire === 'openai') {
    const call = { index: 0, id: 'x', function: { name, arguments: args } };
    return [event(wire, chunk({ tool_calls: [call] })), event(wire, chunk({}, 'tool_calls'))];
  }
  return [
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'x', name } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: args } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ].map((each) => event(wire, each));
}

export function replyOf(wire: Wire, text: string): string[] {
  if (wire === 'gemini') return [event(wire, parts([{ text }], 'STOP'))];
  if (wire === 'openai') return [event(wire, chunk({ content: text })), event(wire, chunk({}, 'stop'))];
  if (wire === 'openai-responses') {
    return [event(wire, completed([{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]))];
  }
  return [event(wire, { type: 'message', stop_reason: 'end_turn', content: [{ type: 'text', text }] })];
}
