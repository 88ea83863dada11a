import type {
  ChatCompletionAssistantMessageParam as AssistantParam,
  ChatCompletionCreateParamsStreaming as Body,
  ChatCompletionMessageFunctionToolCall as CallParam,
  ChatCompletionMessageParam as MessageParam,
  ChatCompletionFunctionTool as ToolParam,
} from 'openai/resources/chat/completions';
import { argumentsObject } from '../../turn/arguments-object.ts';
import { jsonObject } from '../../turn/json-value.ts';
import type { Message } from '../../turn/message.ts';
import type { Tool } from '../../turn/tool.ts';
import type { ToolChoice } from '../../turn/turn-request.ts';
import type { RoundRequest } from '../provider.ts';
import { wireName } from '../wire-name.ts';
import { readOpaque } from './opaque.ts';
import { withWireIds } from './wire-id.ts';

/** What differs between the servers that speak this wire. */
export type Wire = { provider: string; maxTokensField: 'max_tokens' | 'max_completion_tokens' };

/** Our words as a Chat Completions body. It always streams: nothing else is read, whatever the options say. */
export function renderRequest(request: RoundRequest, { provider, maxTokensField }: Wire): Body {
  const { model, temperature, maxOutputTokens } = request;
  const spoken = withWireIds(request.messages, { provider, model });
  return {
    model,
    messages: [...instructed(request.instructions), ...spoken.flatMap((each) => message(each, provider))],
    stream_options: { include_usage: true },
    ...toolFields(request),
    ...(temperature === null ? {} : { temperature }),
    ...(maxOutputTokens === null ? {} : { [maxTokensField]: maxOutputTokens }),
    ...request.providerOptions,
    stream: true,
  };
}

function instructed(instructions: string | null): MessageParam[] {
  return instructions ? [{ role: 'system', content: instructions }] : [];
}

function message(spoken: Message, provider: string): MessageParam[] {
  switch (spoken.role) {
    case 'user':
    case 'system':
      return spoken.content ? [{ role: spoken.role, content: spoken.content }] : [];
    case 'assistant':
      return spoken.content || spoken.calls.length ? [assistant(spoken, provider)] : [];
    case 'tool':
      // The call must be answered, and some servers refuse an empty answer.
      return [{ role: 'tool', tool_call_id: spoken.callId, content: spoken.content || '(no output)' }];
  }
}

function assistant(spoken: Extract<Message, { role: 'assistant' }>, provider: string): AssistantParam {
  const state = readOpaque(spoken.opaque?.provider === provider ? spoken.opaque.state : null);
  const calls = spoken.calls.map(
    ({ id, name, arguments: args }, index): CallParam => ({
      id,
      type: 'function',
      function: { name: wireName(name), arguments: objectText(args) },
      ...(state.calls[index] ? { extra_content: state.calls[index] } : {}),
    }),
  );
  return {
    ...state.message,
    role: 'assistant',
    content: spoken.content || null,
    ...(calls.length ? { tool_calls: calls } : {}),
  };
}

/** As the model wrote it where it is an object: many servers read the history's arguments, and refuse all else. */
function objectText(args: string): string {
  return jsonObject(args) ? args : JSON.stringify(argumentsObject(args));
}

function toolFields({ tools, toolChoice, parallelToolCalls }: RoundRequest): Partial<Body> {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(toolParam),
    ...choiceField(toolChoice),
    ...(parallelToolCalls === null ? {} : { parallel_tool_calls: parallelToolCalls }),
  };
}

function toolParam({ name, description, parameters }: Tool): ToolParam {
  return { type: 'function', function: { name, ...(description ? { description } : {}), parameters } };
}

function choiceField(choice: ToolChoice): Partial<Body> {
  if (choice === 'auto') return {};
  if (typeof choice === 'string') return { tool_choice: choice };
  return { tool_choice: { type: 'function', function: { name: choice.name } } };
}
