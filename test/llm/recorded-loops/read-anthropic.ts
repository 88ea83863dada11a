import { heardIn } from '#test/llm/anthropic/heard.ts';
import { blocksOf, type WireBlock, type WireBody, type WireMessage } from '#test/llm/anthropic/recorded.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import type { Exchange } from '#test/llm/recordings.ts';
import { MEDIA, type ReadReply, type ReadRequest, type Said, type WireReader } from './wire-reader.ts';

export const readAnthropic: WireReader = {
  wire: 'anthropic',
  isOurs: (api) => api === 'messages',
  request,
  reply,
  answered: (exchange) => exchange,
  problems: (body) => checkAnthropic(body),
};

function request(exchange: Exchange<unknown>): ReadRequest {
  const { model, system, messages, tools = [], tool_choice: choice } = exchange.request!.body as WireBody;
  const isPlain = tools.every(({ input_schema }) => input_schema);
  return {
    said: messages.flatMap(asSaid),
    fields: {
      model: `anthropic/${model ?? 'claude'}`,
      instructions: system ? textOf(system) : null,
      tools: tools.map(({ name, description, input_schema: parameters }) => ({
        ...{ name, description, parameters },
        execution: { kind: 'client' },
      })),
      tool_choice: choiceOf(choice),
      parallel_tool_calls: choice?.disable_parallel_tool_use ? false : null,
      // Server tools that are defined by their type can only be sent as provider options.
      provider_options: isPlain ? {} : { tools },
    },
  };
}

function asSaid({ role, content }: WireMessage): Said[] {
  const blocks = blocksOf(content);
  const text = textOf(blocks.filter(({ type }) => !/^tool_(use|result)$|thinking/.test(type)));
  const calls = blocks.filter(({ type }) => type === 'tool_use').length;
  if (role === 'assistant') return [{ role, text, calls }];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return [...results.map(asAnswer), ...(text ? [{ role, text }] : [])];
}

function asAnswer({ tool_use_id: id, content, is_error }: WireBlock): Said {
  const text = typeof content === 'string' ? content : textOf((content ?? []) as WireBlock[]);
  return { role: 'tool', id: String(id), text, isError: is_error === true };
}

function textOf(content: string | WireBlock[]): string {
  return blocksOf(content)
    .map(({ text }) => text ?? MEDIA)
    .join('\n\n');
}

function choiceOf(choice: WireBody['tool_choice']) {
  if (choice?.type === 'tool') return { type: 'specific', name: choice.name };
  return choice?.type === 'any' ? 'required' : (choice?.type ?? 'auto');
}

function reply(exchange: Exchange<unknown>): ReadReply {
  if (exchange.response.status !== 200) return { text: '', calls: [], usage: null, problem: 'refused' };
  const { content, usage } = heardIn(exchange);
  const text = content.flatMap((block) => (block.type === 'text' ? String(block.text) : [])).join('');
  const calls = content.flatMap(({ type, id, name, input }) =>
    type === 'tool_use' ? [{ id: String(id), name: String(name), arguments: input }] : [],
  );
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text,
    calls,
    usage: {
      input_tokens: (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + cached,
      output_tokens: usage.output_tokens ?? 0,
      cached_input_tokens: cached,
    },
    problem: calls.length === 0 && !text.trim() ? 'provider_bad_response' : null,
  };
}
