import type { ChatMessage, ChatRequest } from '../chat-request.ts';
import { messageOfUser } from '../current-turn.ts';
import type { Content, ContentsRequest, Part } from './contents-request.ts';

/** Translates a request of Gemini into the request that the simulator decides from. */
export function chatRequestOf(request: ContentsRequest, model: string): ChatRequest {
  const { contents, systemInstruction, tools, toolConfig, generationConfig } = request;
  const system = (systemInstruction?.parts ?? []).map(({ text = '' }) => text).join('\n\n');
  return {
    model,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...messagesOf(contents)],
    ...(tools && { tools: tools.flatMap(offeredTools) }),
    ...toolChoiceOf(toolConfig?.functionCallingConfig),
    ...responseFormatOf(generationConfig),
  };
}

function messagesOf(contents: Content[]): ChatMessage[] {
  let open: string[] = [];
  return contents.flatMap(({ role = 'user', parts }, index): ChatMessage[] => {
    if (role === 'user') return parts.flatMap((part) => userMessages(part, open));
    const calls = parts.flatMap(({ functionCall: call }, place) =>
      call ? [{ id: call.id ?? `${index}_${place}`, function: { name: call.name, arguments: argumentsOf(call) } }] : [],
    );
    open = calls.map(({ id }) => id);
    const text = parts.map(({ thought, text: said = '' }) => (thought ? '' : said)).join('');
    return [{ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
  });
}

function argumentsOf({ args = {} }: NonNullable<Part['functionCall']>): string {
  return JSON.stringify(args);
}

/** Reads a part of the user. A result without an id answers the next call of the content before it. */
function userMessages({ text, functionResponse: result }: Part, open: string[]): ChatMessage[] {
  if (text) return [messageOfUser(text)];
  if (!result) return [];
  const { id = open[0], response } = result;
  open.splice(0, open.length, ...open.filter((call) => call !== id));
  return [{ role: 'tool', tool_call_id: id ?? null, content: textOf(response) }];
}

function textOf(response: Record<string, unknown>): string {
  const [only, ...others] = Object.values(response);
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(response);
}

type Tool = NonNullable<ContentsRequest['tools']>[number];

function offeredTools({ functionDeclarations = [] }: Tool): NonNullable<ChatRequest['tools']> {
  return functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
    type: 'function',
    function: { name, parameters: parametersJsonSchema ?? parameters },
  }));
}

type Calling = NonNullable<ContentsRequest['toolConfig']>['functionCallingConfig'];

function toolChoiceOf(calling: Calling): Pick<ChatRequest, 'tool_choice'> {
  const [name, ...others] = calling?.allowedFunctionNames ?? [];
  if (calling?.mode === 'NONE') return { tool_choice: 'none' };
  if (calling?.mode !== 'ANY') return {};
  const isNamed = name !== undefined && others.length === 0;
  return { tool_choice: isNamed ? { type: 'function', function: { name } } : 'required' };
}

function responseFormatOf(config: ContentsRequest['generationConfig']): Pick<ChatRequest, 'response_format'> {
  if (config?.responseMimeType !== 'application/json') return {};
  const schema = config.responseJsonSchema ?? config.responseSchema;
  if (!schema) return { response_format: { type: 'json_object' } };
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}
