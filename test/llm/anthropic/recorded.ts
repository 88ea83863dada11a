import type { RoundRequest } from '#core/llm/provider.ts';
import type { Message, RequestedCall } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

export type WireBlock = { type: string } & Record<string, unknown>;
export type WireMessage = { role: 'user' | 'assistant' | 'system'; content: string | WireBlock[] };
type WireTool = { type?: string; name: string; description?: string; input_schema?: Record<string, unknown> };
type WireChoice = { type: string; name?: string; disable_parallel_tool_use?: boolean };
export type WireBody = {
  model?: string;
  max_tokens: number;
  system?: string | WireBlock[];
  messages: WireMessage[];
  tools?: WireTool[];
  tool_choice?: WireChoice;
};

export function blocksOf(content: string | WireBlock[]): WireBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function textsOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map(({ text }) => text ?? '').join('\n\n');
}

/**
 * Returns a recorded request in the form of Pawl. Messages of the model are the stored replies, if Pawl read them.
 * Messages from before the recording are the messages of the request.
 */
export function inOurWords(body: WireBody, replies: Reply[]): RoundRequest {
  const choice = body.tool_choice;
  return {
    ...someRequest,
    model: body.model ?? 'claude',
    instructions: textsOf(body.system) || null,
    messages: body.messages.flatMap((message) => ourMessages(message, replies)),
    tools: (body.tools ?? []).flatMap(ourTool),
    toolChoice: ourChoice(choice),
    parallelToolCalls: choice?.disable_parallel_tool_use ? false : null,
    maxOutputTokens: body.max_tokens,
  };
}

function ourMessages({ role, content }: WireMessage, replies: Reply[]): Message[] {
  const blocks = blocksOf(content);
  if (role === 'assistant') return [storedReply(blocks, replies)];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const texts = blocks.filter(({ type }) => type === 'text');
  return [
    ...results.map(
      (block): Message => ({
        role: 'tool',
        callId: String(block.tool_use_id),
        name: 'unknown',
        content: textsOf(block.content),
        isError: block.is_error === true,
      }),
    ),
    ...texts.map(({ text }): Message => ({ role: 'user', content: String(text) })),
  ];
}

function storedReply(blocks: WireBlock[], replies: Reply[]): Message {
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const reply = replies.find((each) =>
    calls.length ? each.calls.some(({ id }) => id === calls[0]!.id) : each.text === textsOf(blocks),
  );
  if (!reply) return { role: 'assistant', content: textsOf(blocks) || null, calls: calls.map(ourCall) };
  return {
    role: 'assistant',
    content: reply.text,
    calls: reply.calls,
    ...(reply.opaque ? { opaque: { provider: 'anthropic', state: reply.opaque } } : {}),
  };
}

function ourCall({ id, name, input }: WireBlock): RequestedCall {
  return { id: String(id), name: String(name), arguments: JSON.stringify(input) };
}

function ourTool({ name, description, input_schema: parameters }: WireTool): Tool[] {
  return parameters ? [Tool.parse({ name, description, parameters })] : [];
}

function ourChoice(choice: WireChoice | undefined): RoundRequest['toolChoice'] {
  if (choice?.type === 'tool') return { type: 'specific', name: choice.name ?? '' };
  if (choice?.type === 'any') return 'required';
  return choice?.type === 'none' ? 'none' : 'auto';
}

/**
 * Returns the meaning of a request in one form for both sides. These differences are accepted:
 * - Text alone or as one block, and results and system as text or as a list of texts. The wire reads them alike.
 * - `is_error: false`, `citations: null`, a direct `caller`, tool choice `auto`, an absent flag. These are defaults.
 * - Blank text beside calls. The wire accepts it there, and refuses it alone.
 * - `cache_control`, `strict`, `defer_loading`, tools that the server runs, and all fields not named here.
 *   These are settings of a caller, which are sent by `provider_options`.
 * - `type: object` at the top of a schema. The wire requires it.
 */
export function meaningOf(body: WireBody): object {
  const choice = body.tool_choice;
  const isPlain = !choice || (choice.type === 'auto' && !choice.disable_parallel_tool_use);
  return {
    model: body.model ?? 'claude',
    max_tokens: body.max_tokens,
    system: textsOf(body.system),
    messages: body.messages.map(({ role, content }) => ({
      role,
      content: blocksOf(content).filter(isSaying).map(plainBlock),
    })),
    tools: (body.tools ?? []).flatMap(({ name, description = '', input_schema: schema }) =>
      schema ? [{ name, description, input_schema: { type: 'object', ...schema } }] : [],
    ),
    tool_choice: isPlain ? null : { ...choice, disable_parallel_tool_use: choice.disable_parallel_tool_use ?? false },
  };
}

export function isSaying({ type, text }: WireBlock): boolean {
  return type !== 'text' || String(text).trim() !== '';
}

/** Returns a block without the accepted differences. */
export function plainBlock(block: WireBlock): WireBlock {
  const { cache_control: _cache, citations, caller, is_error, content, ...rest } = block;
  const isDirect = typeof caller !== 'object' || (caller as { type?: string } | null)?.type === 'direct';
  return {
    ...rest,
    ...(content === undefined ? {} : { content: block.type === 'tool_result' ? textsOf(content) : content }),
    ...(Array.isArray(citations) && citations.length ? { citations } : {}),
    ...(isDirect ? {} : { caller }),
    ...(is_error ? { is_error } : {}),
  };
}
