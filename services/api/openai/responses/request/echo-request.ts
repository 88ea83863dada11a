import type { ResponseRequest, TextFormat } from '#core/turn/request/response.ts';
import type { Prompt } from '../agents/prompt.ts';
import type { ResponseBody } from '../response-body.ts';
import type { ReadTool } from './offered-tool.ts';

/** Returns the fields of a create request that answers repeat, with OpenAI's defaults filled in. */
export function echoRequest(body: ResponseBody & { model: string }, tools: ReadTool['shown'][]): ResponseRequest {
  return {
    model: body.model,
    ...(body.prompt && { prompt: echoPrompt(body.prompt) }),
    background: body.background ?? false,
    previous_response_id: body.previous_response_id ?? null,
    conversation: conversationIdOf(body),
    instructions: body.instructions ?? null,
    tools,
    tool_choice: body.tool_choice ?? 'auto',
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    max_tool_calls: body.max_tool_calls ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    ...samplingOf(body),
    service_tier: body.service_tier ?? 'auto',
    include: body.include ?? [],
    user: body.user ?? null,
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
  };
}

function echoPrompt({ id, version, variables }: Prompt) {
  return {
    id,
    version: version === undefined || version === null ? null : String(version),
    variables: variables ?? null,
  };
}

/** Returns the conversation that a create request names. Null if it names none. */
export function conversationIdOf({ conversation }: Pick<ResponseBody, 'conversation'>): string | null {
  return typeof conversation === 'string' ? conversation : (conversation?.id ?? null);
}

function samplingOf({ text, reasoning, ...body }: ResponseBody) {
  return {
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    top_logprobs: body.top_logprobs ?? 0,
    text: { format: wholeFormat(text?.format ?? { type: 'text' }), verbosity: text?.verbosity ?? null },
    reasoning: {
      effort: reasoning?.effort ?? null,
      summary: reasoning?.summary ?? reasoning?.generate_summary ?? null,
    },
  };
}

function wholeFormat(format: TextFormat): TextFormat {
  if (format.type !== 'json_schema') return format;
  return { ...format, description: format.description ?? null, strict: format.strict ?? false };
}
