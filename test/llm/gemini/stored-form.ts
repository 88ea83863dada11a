import type { RoundRequest } from '#core/llm/provider.ts';
import type { ToolChoice } from '#core/turn/config/tool-choice.ts';
import type { Message, RequestedCall } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

type Json = Record<string, unknown>;
export type WirePart = {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name: string; args?: Json };
  functionResponse?: { id?: string; name: string; response: Json };
};
export type WireContent = { role: string; parts: WirePart[] };
type Declaration = { name: string; description?: string; parameters?: Json; parametersJsonSchema?: Json };
export type WireBody = {
  /** Also in the path. Some clients repeat it in the body. */
  model?: string;
  contents: WireContent[];
  systemInstruction?: { parts: { text: string } | { text: string }[] };
  generationConfig?: Json & { temperature?: number; topP?: number; maxOutputTokens?: number };
  tools?: { functionDeclarations?: Declaration[] }[];
  toolConfig?: { functionCallingConfig: { mode: string; allowedFunctionNames?: string[] } };
};

/** Returns the stored form of a conversation with `body` as its next request, after these replies. */
export function storedForm(body: WireBody, replies: Reply[]): RoundRequest {
  const { contents, systemInstruction, generationConfig = {}, tools = [], toolConfig, model: _, ...rest } = body;
  const { temperature = null, topP = null, maxOutputTokens = null, ...generation } = generationConfig;
  const declared = tools.flatMap((tool) => tool.functionDeclarations ?? []);
  const others = tools.filter((tool) => !tool.functionDeclarations);
  const mode = toolConfig?.functionCallingConfig.mode ?? 'AUTO';
  const choices: Record<string, ToolChoice> = { AUTO: 'auto', NONE: 'none', ANY: 'required' };
  return {
    ...someRequest,
    instructions: [systemInstruction?.parts ?? []]
      .flat()
      .map(({ text }) => text)
      .join('\n\n'),
    messages: storedMessages(contents, replies),
    tools: declared.map(storedTool),
    toolChoice: choices[mode] ?? 'auto',
    temperature,
    topP,
    maxOutputTokens,
    providerOptions: {
      ...rest,
      ...(Object.keys(generation).length ? { generationConfig: generation } : {}),
      ...(others.length ? { tools: others } : {}),
      ...(toolConfig && !(mode in choices) ? { toolConfig } : {}),
    },
  };
}

function storedTool({ name, description, parameters, parametersJsonSchema }: Declaration): Tool {
  return Tool.parse({ name, description, parameters: parameters ?? parametersJsonSchema });
}

/** Returns whether a model content equals a reply, with any ids and signatures. */
export function isReply({ parts }: WireContent, { text, calls }: Reply): boolean {
  const said = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
  const called = parts.flatMap(({ functionCall: call }) => (call ? [[call.name, sorted(call.args ?? {})]] : []));
  const ours = calls.map(({ name, arguments: args }) => [name, sorted(JSON.parse(args))]);
  return said === (text ?? '') && JSON.stringify(called) === JSON.stringify(ours);
}

function storedMessages(contents: WireContent[], replies: Reply[]): Message[] {
  let open: RequestedCall[] = [];
  const left = [...replies];
  return contents.flatMap((content, place): Message[] => {
    if (content.role === 'model') {
      const message = storedRound(content, { reply: takeReply(content, left), place });
      open = [...message.calls];
      return [message];
    }
    return content.parts.flatMap(({ text, functionResponse: answer }): Message[] => {
      if (answer) return [storedAnswer(answer, open.shift()?.id ?? '')];
      return text ? [{ role: 'user', content: text }] : [];
    });
  });
}

/** Returns the reply of a content. Replies may be equal, so each reply is used for one content, in order. */
function takeReply(content: WireContent, left: Reply[]): Reply | undefined {
  const index = left.findIndex((each) => isReply(content, each));
  return left.splice(0, index + 1).at(-1);
}

function storedRound(content: WireContent, { reply, place }: { reply: Reply | undefined; place: number }) {
  const texts = content.parts.map((part) => (part.thought ? '' : (part.text ?? '')));
  const calls = content.parts.flatMap(({ functionCall: call }) =>
    call ? [{ id: '', name: call.name, arguments: JSON.stringify(call.args ?? {}) }] : [],
  );
  return {
    role: 'assistant' as const,
    content: texts.join('') || null,
    calls: (reply?.calls ?? calls).map((call, index) => ({ ...call, id: call.id || `call_${place}_${index}` })),
    ...(reply?.opaque ? { opaque: { provider: 'gemini', state: reply.opaque } } : {}),
  };
}

/** Returns the text of the tool message that is sent as this response. */
function storedAnswer({ name, response }: { name: string; response: Json }, callId: string): Message {
  const [[field, value] = [], ...more] = Object.entries(response);
  const isBare = more.length === 0 && typeof value === 'string';
  const content = isBare && (field === 'result' || field === 'error') ? value : JSON.stringify(response);
  return { role: 'tool', callId, name, content, isError: isBare && field === 'error' };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
