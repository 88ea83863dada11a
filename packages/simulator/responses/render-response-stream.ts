import { errorBody } from '../error-body.ts';
import type { FlawedReply, RenderedStream } from '../render-response.ts';
import type { Flaw } from '../reply.ts';
import { shownOf } from '../slices.ts';
import { groupSteps, itemSteps, renderStep, type Step } from './item-steps.ts';
import { begunResponse, type ResponseMeta, type ResponseObject, responseObject } from './response-object.ts';

/**
 * Renders a reply as OpenAI's named server-sent events, one chunk for each delta, and the end of the stream. This
 * wire has no `[DONE]`.
 */
export function renderResponseStream({ reply, pace, flaw }: FlawedReply, meta: ResponseMeta): RenderedStream {
  const response = responseObject(reply, meta);
  const begun = begunResponse(meta);
  const shown = shownOf(itemSteps(response.output, pace), flaw);
  const { steps = [], broken = [], ending = 'end' } = closingOf(flaw, response);
  const before: Step[] = [
    ...['created', 'in_progress'].map((name) => ({ type: `response.${name}`, fields: { response: begun } })),
    // Some servers send only deltas and the whole response.
    ...(flaw?.kind === 'no_done' ? shown.filter(({ type }) => !type.endsWith('.done')) : shown),
  ];
  const groups = [...groupSteps(before), ...steps.map((step) => [step])];
  let number = 0;
  const chunks = groups.map((group) => group.map((step) => renderStep(step, number++)).join(''));
  return { chunks: [...chunks, ...broken], ending };
}

/** The last events of a stream, the bytes after them that are no event, and the end of the stream. */
type Closing = { steps?: Step[]; broken?: string[]; ending?: RenderedStream['ending'] };

/** Returns the end of a stream: the terminal event, or the flaw. */
export function closingOf(flaw: Flaw | null, response: ResponseObject): Closing {
  switch (flaw?.kind) {
    case undefined:
    case 'no_done':
      return { steps: [{ type: `response.${response.status}`, fields: { response } }] };
    case 'no_finish':
      return {};
    case 'error_event':
      return { steps: [errorStep(flaw.body ?? errorBody(500))] };
    case 'garbage':
      return { broken: ['event: response.output_text.delta\ndata: {"type":"response.output_text.del\n\n'] };
    case 'cut':
      return { ending: 'cut' };
    case 'hang':
      return { ending: 'silence' };
    case 'drip':
      return { steps: dripSteps(response.output.length), ending: 'repeat' };
  }
}

/** Returns the event of an error. Chat Completions has an `error` object. Here its fields are fields of the event. */
function errorStep(body: unknown): Step {
  const { error = body } = Object(body);
  const { code = null, type = null, message = String(error), param = null } = Object(error);
  return { type: 'error', fields: { code: code ?? type, message, param } };
}

/** Returns steps of which the last is repeated without end. */
function dripSteps(output_index: number): Step[] {
  const item = { id: 'msg_drip', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  const place = { item_id: item.id, output_index, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
  return [
    { type: 'response.output_item.added', fields: { output_index, item } },
    { type: 'response.content_part.added', fields: { ...place, part } },
    { type: 'response.output_text.delta', fields: { ...place, logprobs: [] }, text: 'drip ' },
  ];
}
