import { errorBody } from '../error-body.ts';
import type { Stamp } from '../render-response.ts';
import type { SimulatedReply } from '../reply.ts';
import type { ScriptedUsage } from '../script.ts';
import { type OutputItem, outputItems } from './output-items.ts';
import type { ResponsesRequest } from './responses-request.ts';

/** The request of a response, with its id and time. */
export type ResponseMeta = { request: ResponsesRequest; stamp: Stamp };

export type ResponseObject = { status: string; output: OutputItem[]; [field: string]: unknown };

/** Writes a reply as a whole response. A reply without a finish reason is still in progress. */
export function responseObject(reply: SimulatedReply, meta: ResponseMeta): ResponseObject {
  const id = meta.stamp.id.replaceAll('-', '');
  const { status, reason } = outcomeOf(reply.finishReason);
  const { request } = meta;
  const include = request.include ?? [];
  const encrypts = request.store === false && include.includes('reasoning.encrypted_content');
  const itemStatus = status === 'incomplete' ? status : 'completed';
  const output = outputItems(reply, { id, include, encrypts, status: itemStatus });
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: meta.stamp.createdAt,
    status,
    background: request.background === true,
    error: status === 'failed' ? { code: 'server_error', message: errorBody(500).error.message } : null,
    incomplete_details: reason === null ? null : { reason },
    ...echoOf(request),
    output,
    usage: reply.usage && usageOf(reply.usage),
  };
}

/** Returns a response that has no output yet. */
export function begunResponse(meta: ResponseMeta, status = 'in_progress'): ResponseObject {
  const nothing = { reasoning: '', text: null, refusal: null, calls: [], hosted: [], citations: [] };
  return { ...responseObject({ ...nothing, finishReason: null, usage: null }, meta), status };
}

function outcomeOf(finishReason: string | null): { status: string; reason: string | null } {
  switch (finishReason) {
    case null:
      return { status: 'in_progress', reason: null };
    case 'length':
      return { status: 'incomplete', reason: 'max_output_tokens' };
    case 'content_filter':
      return { status: 'incomplete', reason: 'content_filter' };
    case 'error':
    case 'failed':
      return { status: 'failed', reason: null };
    default:
      return { status: 'completed', reason: null };
  }
}

/** Returns the fields of the request that OpenAI repeats in its response. */
function echoOf(request: ResponsesRequest): Record<string, unknown> {
  return {
    model: request.model,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null, ...request.reasoning },
    service_tier: 'default',
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: { type: 'text' }, ...request.text },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_p: request.top_p ?? 1,
    truncation: request.truncation ?? 'disabled',
  };
}

function usageOf(usage: ScriptedUsage): Record<string, unknown> {
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0, ...Object(usage.prompt_tokens_details) },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0, ...Object(usage.completion_tokens_details) },
    total_tokens: usage.total_tokens,
  };
}
