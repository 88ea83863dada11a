import type { HostedTool } from '../hosted/hosted-tool.ts';
import { formatFor } from '../output/output-schema.ts';
import { usageOfTurn } from '../reply.ts';
import type { ResponseRequest } from '../request/response.ts';
import type { TurnTool } from '../request/tool.ts';
import type { TurnConfig } from '../request/turn.ts';
import { unixSeconds } from '../resource/unix-seconds.ts';
import { isTerminal, type Turn } from '../turn.ts';
import { responseIdOf } from './item-id.ts';
import { type OutputItem, outputItems } from './output-item.ts';
import { responseError, responseStatus } from './status.ts';

/**
 * Presents a turn as a response of OpenAI's API, with every field. Times are Unix seconds. A native turn shows its
 * own configuration.
 */
export function presentResponse(turn: Turn) {
  const { background, conversation, ...asked } = turn.config.response ?? nativeRequest(turn);
  const status = responseStatus(turn);
  return {
    id: responseIdOf(turn.id),
    object: 'response' as const,
    created_at: unixSeconds(turn.createdAt),
    completed_at: status === 'completed' && turn.completedAt !== null ? unixSeconds(turn.completedAt) : null,
    status,
    background,
    error: turn.error === null ? null : responseError(turn.error),
    incomplete_details: status === 'incomplete' ? { reason: turn.incompleteReason } : null,
    ...askedFields(asked),
    output: outputItems(turn) as OutputItem[],
    conversation: conversation === null ? null : { id: conversation },
    store: turn.stored,
    metadata: turn.metadata,
    truncation: truncationOf(turn.config),
    service_tier: reportedTier(turn),
    usage: isTerminal(turn.status) ? responseUsage(turn) : null,
  };
}

/** Returns the `truncation` that a caller of OpenAI's API sends for a `context`. */
function truncationOf({ context }: TurnConfig): 'auto' | 'disabled' {
  return context?.strategy === 'drop_tool_results' ? 'auto' : 'disabled';
}

/**
 * Returns the reported tier in OpenAI's words, or the requested tier. Gemini and Anthropic call the ordinary tier
 * `standard`.
 */
export function reportedTier({ rounds, config }: Turn): string {
  const reported = rounds.findLast(({ serviceTier }) => serviceTier !== null)?.serviceTier?.toLowerCase();
  if (reported) return reported === 'standard' ? 'default' : reported;
  const asked = config.service_tier ?? config.response?.service_tier ?? 'auto';
  return asked === 'auto' ? 'default' : asked;
}

function askedFields(asked: Omit<ResponseRequest, 'background' | 'conversation'>) {
  const { include: _, service_tier: __, kept_items: ___, text, ...fields } = asked;
  return { ...fields, text: { ...text, verbosity: text.verbosity ?? 'medium' } };
}

/** Returns the usage of a turn in the words of OpenAI's Responses API. */
export function responseUsage(turn: Turn) {
  const sum = usageOfTurn(turn);
  return {
    input_tokens: sum.input_tokens,
    input_tokens_details: { cached_tokens: sum.cached_input_tokens, cache_write_tokens: sum.cache_write_tokens },
    output_tokens: sum.output_tokens,
    output_tokens_details: { reasoning_tokens: sum.reasoning_tokens },
    total_tokens: sum.total_tokens,
  };
}

/** Returns the equivalent request for a native turn. It counts as background, since clients poll it. */
function nativeRequest({ config, conversationId }: Turn): ResponseRequest {
  return {
    ...{ model: config.model, background: true, previous_response_id: null, conversation: conversationId },
    ...{
      instructions: config.instructions,
      tools: [...config.tools.map(functionOf), ...(config.hosted_tools ?? []).map(hostedAsAsked)],
    },
    tool_choice: choiceOf(config.tool_choice),
    parallel_tool_calls: config.parallel_tool_calls ?? true,
    max_tool_calls: config.limits.max_tool_calls,
    max_output_tokens: config.max_total_output_tokens ?? config.max_output_tokens,
    ...{ temperature: config.temperature ?? 1, top_p: config.top_p ?? 1 },
    ...{ presence_penalty: 0, frequency_penalty: 0, top_logprobs: 0 },
    text: {
      format: config.text_format ?? formatFor(config, config.model) ?? { type: 'text' },
      verbosity: config.verbosity ?? null,
    },
    reasoning: { effort: config.reasoning_effort ?? null, summary: null },
    ...{ service_tier: 'default', include: [], user: null, safety_identifier: null, prompt_cache_key: null },
  };
}

function functionOf({ name, description, parameters }: TurnTool) {
  return { type: 'function', name, description, parameters, strict: null };
}

/** Returns a tool that the provider runs, by its name in OpenAI's API. */
function hostedAsAsked({ type, options }: HostedTool) {
  return { ...options, type: type === 'code_execution' ? 'code_interpreter' : type };
}

function choiceOf(choice: TurnConfig['tool_choice']) {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}
