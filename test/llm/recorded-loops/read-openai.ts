import { checkOpenai } from '#test/llm/check-wire/openai.ts';
import { heardIn, isErrorStream } from '#test/llm/openai/heard.ts';
import type { Exchange } from '#test/llm/recordings.ts';
import { MEDIA, type ReadReply, type ReadRequest, type Said, type WireReader } from './wire-reader.ts';

type Part = { type?: string; text?: string };
type Message = { role: string; content?: string | Part[] | null; tool_calls?: unknown[] | null; tool_call_id?: string };
type Declared = { name: string; description?: string; parameters?: object };
type Choice = string | { function: { name: string } };
type Body = {
  model: string;
  messages: Message[];
  tools?: ({ function: Declared } | Declared)[] | null;
  tool_choice?: Choice | null;
  parallel_tool_calls?: boolean | null;
};

export const readOpenai: WireReader = {
  wire: 'openai',
  isOurs: (api) => api === 'chat.completions',
  request,
  reply,
  answered: (exchange) => exchange,
  problems: (body) => checkOpenai(body, /^[a-zA-Z0-9_-]{1,40}$/),
};

function request(exchange: Exchange<unknown>): ReadRequest {
  const { model, messages, tools, tool_choice: choice, parallel_tool_calls: parallel } = exchange.request!.body as Body;
  // A turn must begin with some message, even if only the system has messages.
  const start = Math.max(
    messages.findIndex(({ role }) => !/system|developer/.test(role)),
    0,
  );
  return {
    said: messages.slice(start).map(asSaid),
    fields: {
      model: `openai/${model}`,
      instructions: messages.slice(0, start).map(textOf).join('\n\n') || null,
      tools: (tools ?? []).map((tool) => declaration('function' in tool ? tool.function : tool)),
      tool_choice: choiceOf(choice),
      parallel_tool_calls: parallel ?? null,
    },
  };
}

function asSaid(message: Message): Said {
  const text = textOf(message);
  if (message.role === 'tool') return { role: 'tool', id: message.tool_call_id ?? '', text, isError: false };
  if (message.role === 'assistant') return { role: 'assistant', text, calls: message.tool_calls?.length ?? 0 };
  return { role: message.role === 'user' ? 'user' : 'system', text };
}

function textOf({ content }: Message): string {
  if (!Array.isArray(content)) return content ?? '';
  return content.map(({ text }) => text ?? MEDIA).join('\n\n');
}

function declaration({ name, description, parameters }: Declared) {
  return { name, description, parameters, execution: { kind: 'client' } };
}

function choiceOf(choice: Choice | null | undefined) {
  if (typeof choice === 'object' && choice) return { type: 'specific', name: choice.function.name };
  return choice === 'any' ? 'required' : (choice ?? 'auto');
}

function reply(exchange: Exchange<unknown>): ReadReply {
  const { text, calls, usage } = heardIn(exchange);
  const isEmpty = calls.length === 0 && !text.trim();
  const isRefused = exchange.response.status !== 200 || isErrorStream(exchange);
  return {
    text,
    calls: calls.map(({ id, name, args }) => ({ id, name, arguments: JSON.parse(args || '{}') })),
    usage: usage ? { input_tokens: usage.prompt_tokens, total_tokens: totalOf(usage) } : null,
    problem: isRefused ? 'refused' : isEmpty ? 'provider_bad_response' : null,
  };
}

/** Returns the total tokens, with reasoning above the completion, which gateways to Gemini omit from their total. */
function totalOf(usage: NonNullable<ReturnType<typeof heardIn>['usage']>): number {
  const { prompt_tokens: prompt, completion_tokens: completion, completion_tokens_details: details } = usage;
  const reasoning = details?.reasoning_tokens ?? 0;
  return Math.max(usage.total_tokens, prompt + completion + (reasoning > completion ? reasoning : 0));
}
