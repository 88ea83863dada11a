import { hostedPieces } from './hosted/hosted-pieces.ts';
import { isHostedItem, type OutputItem, type OutputPart } from './output-item.ts';
import { added, done, eventPiece, type ResponseEvent, type ResponsePiece } from './piece.ts';

type Message = Extract<OutputItem, { type: 'message' }>;
type Reasoning = Extract<OutputItem, { type: 'reasoning' }>;
type McpCall = Extract<OutputItem, { type: 'mcp_call' }>;
type CallerCall = Extract<OutputItem, { type: 'function_call' | 'custom_tool_call' }>;

/** An item at its position in the output. `isOpen`: the item is not complete, so its end is not sent. */
type PlacedItem = { item: OutputItem; outputIndex: number; isOpen?: boolean };

/** Returns the pieces of an item when its round is committed, without the result of a call that Pawl runs. */
export function itemPieces(placed: PlacedItem): ResponsePiece[] {
  const { item } = placed;
  switch (item.type) {
    case 'reasoning':
      return reasoningPieces(item, placed);
    case 'message':
      return messagePieces(item, placed);
    case 'function_call':
    case 'custom_tool_call':
      return callerCallPieces(item, placed);
    case 'mcp_call':
      return mcpCallPieces(item, placed);
    case 'web_search_call':
    case 'code_interpreter_call':
    case 'file_search_call':
    case 'image_generation_call':
      return hostedPieces(item, placed);
    case 'mcp_approval_request':
      return [added(item, placed.outputIndex), done(item, placed.outputIndex)];
  }
}

/**
 * Returns the pieces of a committed round, without results. Reasoning with state ends after its round, not before the
 * text: the state is known last, and the text is streamed live.
 */
export function roundPieces(placed: PlacedItem[], { isDoneLate }: { isDoneLate: boolean }): ResponsePiece[] {
  const [first] = placed;
  if (!isDoneLate || first?.item.type !== 'reasoning') return placed.flatMap((each) => itemPieces(each));
  const at = placed.findIndex(({ item }) => item.type === 'message');
  const message = placed[at];
  const before = message ? placed.slice(1, at) : placed.slice(1).filter(({ item }) => isHostedItem(item));
  const whole = message ? itemPieces(message) : [];
  const early = message ? itemPieces({ ...message, isOpen: true }) : [];
  return [
    ...[...unfinished(first), ...before.flatMap((each) => itemPieces(each)), ...early],
    ...[done(first.item, first.outputIndex), ...whole.slice(early.length)],
    ...placed.slice(1 + before.length + (message ? 1 : 0)).flatMap((each) => itemPieces(each)),
  ];
}

/** Returns the pieces of an item without the event for its end. */
export function unfinished(placed: PlacedItem): ResponsePiece[] {
  const pieces = itemPieces(placed);
  return placed.isOpen ? pieces : pieces.slice(0, -1);
}

/** Returns the pieces for the result of a call that Pawl ran. */
export function resultPieces(item: McpCall, outputIndex: number): ResponsePiece[] {
  const status = item.status === 'failed' ? 'failed' : 'completed';
  return [
    eventPiece({ type: `response.mcp_call.${status}`, item_id: item.id, output_index: outputIndex }),
    done(item, outputIndex),
  ];
}

function reasoningPieces(item: Reasoning, { outputIndex, isOpen }: PlacedItem): ResponsePiece[] {
  const at = { item_id: item.id, output_index: outputIndex, summary_index: 0 };
  const part = item.summary[0] ?? { type: 'summary_text' as const, text: '' };
  const begin = [
    added({ id: item.id, type: item.type, summary: [] }, outputIndex),
    eventPiece({ type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } }),
    textPiece({ type: 'response.reasoning_summary_text.delta', ...at }, part.text),
  ];
  if (item.summary.length === 0) return [...begin.slice(0, 1), done(item, outputIndex)];
  if (isOpen) return begin;
  return [
    ...begin,
    eventPiece({ type: 'response.reasoning_summary_text.done', ...at, text: part.text }),
    eventPiece({ type: 'response.reasoning_summary_part.done', ...at, part }),
    done(item, outputIndex),
  ];
}

function messagePieces(item: Message, { outputIndex, isOpen = false }: PlacedItem): ResponsePiece[] {
  const parts = item.content.flatMap((part, index) => {
    const at = { item_id: item.id, output_index: outputIndex, content_index: index };
    return partPieces(part, { at, isOpen: isOpen && index === item.content.length - 1 });
  });
  const begin = added({ ...item, status: 'in_progress', content: [] }, outputIndex);
  return isOpen ? [begin, ...parts] : [begin, ...parts, done(item, outputIndex)];
}

type PartPlace = { item_id: string; output_index: number; content_index: number };

function partPieces(part: OutputPart, { at, isOpen }: { at: PartPlace; isOpen: boolean }): ResponsePiece[] {
  const { empty, text, delta, end, annotations } = wordsOf(part);
  const begin = [
    eventPiece({ type: 'response.content_part.added', ...at, part: empty }),
    textPiece({ ...delta, ...at }, text),
  ];
  if (isOpen) return begin;
  const cited = annotations.map((annotation, index) =>
    eventPiece({ type: 'response.output_text.annotation.added', ...at, annotation_index: index, annotation }),
  );
  const ends = [eventPiece({ ...end, ...at }), eventPiece({ type: 'response.content_part.done', ...at, part })];
  return [...begin, ...cited, ...ends];
}

/** A shared list for all events, so that equal events are identical. */
const NO_LOGPROBS: readonly never[] = [];

/** Returns an empty part, its text, its annotations, and the events for its deltas and its end. */
function wordsOf(part: OutputPart) {
  if (part.type === 'refusal') {
    const { refusal } = part;
    return {
      ...{ empty: { ...part, refusal: '' }, text: refusal, annotations: [] },
      ...{ delta: { type: 'response.refusal.delta' }, end: { type: 'response.refusal.done', refusal } },
    };
  }
  const { text, annotations } = part;
  return {
    ...{ empty: { ...part, text: '', annotations: [] }, text, annotations },
    delta: { type: 'response.output_text.delta', logprobs: NO_LOGPROBS },
    end: { type: 'response.output_text.done', text, logprobs: NO_LOGPROBS },
  };
}

function callerCallPieces(item: CallerCall, { outputIndex }: PlacedItem): ResponsePiece[] {
  const at = { item_id: item.id, output_index: outputIndex };
  if (item.type === 'custom_tool_call') {
    return [
      added({ ...item, status: 'in_progress', input: '' }, outputIndex),
      eventPiece({ type: 'response.custom_tool_call_input.delta', ...at, delta: item.input }),
      eventPiece({ type: 'response.custom_tool_call_input.done', ...at, input: item.input }),
      done(item, outputIndex),
    ];
  }
  return [
    added({ ...item, status: 'in_progress', arguments: '' }, outputIndex),
    eventPiece({ type: 'response.function_call_arguments.delta', ...at, delta: item.arguments }),
    eventPiece({ type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments }),
    done(item, outputIndex),
  ];
}

function mcpCallPieces(item: McpCall, { outputIndex }: PlacedItem): ResponsePiece[] {
  const at = { item_id: item.id, output_index: outputIndex };
  const unanswered = { ...item, status: 'in_progress', output: null, error: null };
  return [
    added({ ...unanswered, arguments: '' }, outputIndex),
    eventPiece({ type: 'response.mcp_call_arguments.delta', ...at, delta: item.arguments }),
    eventPiece({ type: 'response.mcp_call_arguments.done', ...at, arguments: item.arguments }),
    eventPiece({ type: 'response.mcp_call.in_progress', ...at }),
  ];
}

function textPiece(fields: ResponseEvent, text: string): ResponsePiece {
  return { kind: 'text', event: fields, text };
}
