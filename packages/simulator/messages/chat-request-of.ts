import type { ChatMessage, ChatRequest, OfferedTool } from '../chat-request.ts';
import { messageOfUser } from '../current-turn.ts';
import type { Message, MessagesRequest } from './messages-request.ts';

/** Translates a Messages request into the request that the simulator decides from. */
export function chatRequestOf(request: MessagesRequest): ChatRequest {
  const { model, messages, system, tools, tool_choice: choice, output_config: output } = request;
  const format = output?.format;
  return {
    model,
    messages: [...systemMessages(system), ...messages.flatMap(chatMessages)],
    ...(tools && { tools: tools.flatMap(offeredTool) }),
    ...(choice && { tool_choice: toolChoiceOf(choice) }),
    ...(choice && 'disable_parallel_tool_use' in choice && { parallel_tool_calls: !choice.disable_parallel_tool_use }),
    ...(format && { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema } } }),
    stream: request.stream,
  };
}

function systemMessages(system: MessagesRequest['system']): ChatMessage[] {
  if (!system) return [];
  const content = typeof system === 'string' ? system : system.map(({ text }) => text).join('\n\n');
  return [{ role: 'system', content }];
}

function chatMessages({ role, content }: Message): ChatMessage[] {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  if (role === 'user') return blocks.flatMap(userMessages);
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [String(block.text)] : []));
  const calls = blocks.flatMap(calledTool);
  return [{ role, content: texts.length ? texts.join('') : null, ...(calls.length > 0 && { tool_calls: calls }) }];
}

type Block = Exclude<Message['content'], string>[number];

function userMessages(block: Block): ChatMessage[] {
  if (block.type === 'text') return [messageOfUser(String(block.text))];
  if (!isResult(block)) return [];
  return [{ role: 'tool', tool_call_id: block.tool_use_id, content: block.content ?? '' }];
}

function calledTool(block: Block): NonNullable<ChatMessage['tool_calls']> {
  if (!isUse(block)) return [];
  const { id, name, input } = block;
  return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }];
}

function isUse(block: Block): block is Extract<Block, { type: 'tool_use' }> {
  return block.type === 'tool_use';
}

function isResult(block: Block): block is Extract<Block, { type: 'tool_result' }> {
  return block.type === 'tool_result';
}

function offeredTool(tool: NonNullable<MessagesRequest['tools']>[number]): OfferedTool[] {
  if (!('input_schema' in tool)) return [];
  const { name, input_schema: schema } = tool;
  return [{ type: 'function', function: { name, parameters: schema as Record<string, unknown> } }];
}

function toolChoiceOf(choice: NonNullable<MessagesRequest['tool_choice']>): ChatRequest['tool_choice'] {
  switch (choice.type) {
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    case 'any':
      return 'required';
    case 'auto':
    case 'none':
      return choice.type;
  }
}
