import type { ChatMessage, ChatRequest, ResponseFormat } from '../chat-request.ts';
import { hostedTypeOf } from './hosted-tool.ts';
import type { InputItem } from './input-item.ts';
import type { ResponsesRequest } from './responses-request.ts';

/** Translates a Responses request into the request that the simulator decides from. */
export function chatRequestOf(request: ResponsesRequest): ChatRequest {
  const { input, instructions, text, tools, tool_choice: choice, ...same } = request;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  const said: ChatMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : messagesOf(input);
  return {
    ...same,
    messages: [...system, ...said],
    ...(tools && toolFields(tools)),
    ...(choice && { tool_choice: toolChoiceOf(choice) }),
    ...(text?.format && { response_format: responseFormatOf(text.format) }),
  };
}

/** Splits the tools into functions and hosted tools. */
function toolFields(tools: NonNullable<ResponsesRequest['tools']>): Pick<ChatRequest, 'tools' | 'hostedTools'> {
  const functions = tools.filter((tool) => tool.type === 'function');
  const hosted = tools.filter((tool) => tool.type !== 'function');
  return {
    tools: functions.map(({ type, ...declared }) => ({ type, function: declared })),
    ...(hosted.length > 0 && { hostedTools: hosted.map(hostedTypeOf) }),
  };
}

function toolChoiceOf(choice: NonNullable<ResponsesRequest['tool_choice']>): ChatRequest['tool_choice'] {
  return typeof choice === 'object' ? { type: choice.type, function: { name: choice.name } } : choice;
}

type TextFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

function responseFormatOf(format: TextFormat): ResponseFormat {
  if (format.type !== 'json_schema') return format;
  const { type, ...schema } = format;
  return { type, json_schema: schema };
}

/** Joins consecutive calls into one message: the assistant message before them, if it exists. */
function messagesOf(items: InputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const item of items) {
    switch (item.type) {
      case 'message':
        messages.push(
          item.role === 'assistant' ? assistantMessage(item.content) : { role: item.role, content: item.content },
        );
        break;
      case 'function_call': {
        const { call_id: id, name, arguments: args } = item;
        const call = { id, type: 'function' as const, function: { name, arguments: args } };
        const last = messages.at(-1);
        if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call];
        else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
        break;
      }
      case 'function_call_output':
        messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output });
        break;
      default:
        break;
    }
  }
  return messages;
}

type Message = Extract<InputItem, { type: 'message'; role: 'assistant' }>;

/** Splits text and refusal of an assistant message, which are two fields in Chat Completions. */
function assistantMessage(content: Message['content']): ChatMessage {
  if (typeof content === 'string') return { role: 'assistant', content };
  const texts = content.flatMap((part) => (part.type === 'output_text' ? [part.text] : []));
  const refusals = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []));
  return {
    role: 'assistant',
    content: texts.length ? texts.join('') : null,
    ...(refusals.length ? { refusal: refusals.join('') } : {}),
  };
}
