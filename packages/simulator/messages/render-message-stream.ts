import { errorBody } from '../error-body.ts';
import type { FlawedReply, RenderedStream } from '../render-response.ts';
import type { SimulatedReply } from '../reply.ts';
import { shownOf, slices } from '../slices.ts';
import { messageErrorOf } from './message-error.ts';
import { type MessageMeta, renderMessage, SIGNATURE } from './render-message.ts';

/** An event of a stream. `text` is the text of its delta. */
type MessageEvent = { type: string; fields: Record<string, unknown>; text?: string };

/** Renders a reply as Anthropic's server-sent events, one chunk for each write, and the end of the stream. */
export function renderMessageStream({ reply, pace, flaw }: FlawedReply, meta: MessageMeta): RenderedStream {
  const { stop_reason, usage, ...message } = renderMessage(reply, meta);
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const events = [
    { type: 'message_start', fields: { message: start } },
    ...shownOf(blocksOf(reply, pace.chunkChars).flatMap(eventsOf), flaw),
  ].map(renderEvent);
  const delta = { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.output_tokens } };
  const end = renderEvent({ type: 'message_delta', fields: delta });
  const stop = renderEvent({ type: 'message_stop', fields: {} });
  switch (flaw?.kind) {
    case undefined:
      return { chunks: [...events, end + stop], ending: 'end' };
    case 'no_done':
      return { chunks: [...events, end], ending: 'end' };
    case 'no_finish':
      return { chunks: events, ending: 'end' };
    case 'error_event': {
      const body = flaw.body ?? messageErrorOf({ ...ERROR, body: errorBody(ERROR.status) });
      return { chunks: [...events, `event: error\ndata: ${JSON.stringify(body)}\n\n`], ending: 'end' };
    }
    case 'garbage':
      return { chunks: [...events, 'event: content_block_delta\ndata: {"type":"content_blo\n\n'], ending: 'end' };
    case 'cut':
      return { chunks: events, ending: 'cut' };
    case 'hang':
      return { chunks: events, ending: 'silence' };
    case 'drip':
      return { chunks: [...events, renderEvent({ type: 'ping', fields: {} })], ending: 'repeat' };
  }
}

const ERROR = { kind: 'error' as const, status: 529, headers: {}, thinkMs: 0 };

/** The empty block of an index, and its deltas. */
type OpenBlock = { block: Record<string, unknown>; deltas: Record<string, string>[] };

function blocksOf({ reasoning, text, refusal, calls }: SimulatedReply, size: number): OpenBlock[] {
  const pieces = (whole: string, type: string, field: string) =>
    slices(whole, size).map((piece) => ({ type, [field]: piece }));
  const thought = [
    ...pieces(reasoning, 'thinking_delta', 'thinking'),
    { type: 'signature_delta', signature: SIGNATURE },
  ];
  return [
    ...(reasoning ? [{ block: { type: 'thinking', thinking: '', signature: '' }, deltas: thought }] : []),
    ...[text, refusal].flatMap((said) =>
      said ? [{ block: { type: 'text', text: '' }, deltas: pieces(said, 'text_delta', 'text') }] : [],
    ),
    ...calls.map(({ id, name, arguments: args }) => ({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: pieces(args, 'input_json_delta', 'partial_json'),
    })),
  ];
}

function eventsOf({ block, deltas }: OpenBlock, index: number): MessageEvent[] {
  return [
    { type: 'content_block_start', fields: { index, content_block: block } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', fields: { index, delta }, text: textOf(delta) })),
    { type: 'content_block_stop', fields: { index } },
  ];
}

function textOf({ text, thinking, partial_json: json }: Record<string, string>): string {
  return text ?? thinking ?? json ?? '';
}

function renderEvent({ type, fields }: MessageEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
