import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { heardIn, partsOf, type WireItem, type WirePart } from '#test/llm/openai-responses/heard.ts';
import { itemsOf, recordedExchanges, type WireBody } from '#test/llm/openai-responses/recorded-exchanges.ts';
import { carryDifferences, requestDifferences } from '#test/llm/openai-responses/request-differences.ts';
import type { Exchange } from '#test/llm/recordings.ts';
import { MEDIA, type ReadReply, type ReadRequest, type Said, type WireReader } from './wire-reader.ts';

export const readOpenaiResponses: WireReader = {
  wire: 'openai-responses',
  isOurs: (api) => api === 'responses',
  exchanges: recordedExchanges,
  skips,
  hasStateAlways: true,
  differences: (ours, { request: recorded }, replies) => [
    ...carryDifferences(ours as WireBody, replies),
    ...requestDifferences(ours as WireBody, recorded!.body as WireBody, { withFields: replies.length === 0 }),
  ],
  request,
  reply,
  answered: (exchange) => exchange,
  problems: (body) => checkOpenaiResponses(body).filter((problem) => problem !== ADDED),
};

/** The refusal of a field that Pawl adds to every request. Pawl omits the field after a refusal. */
const ADDED = 'Encrypted content is not supported with this model.';

function skips(exchanges: Exchange<unknown>[]): string | null {
  const items = exchanges.flatMap((exchange) => heardIn(exchange).items);
  const isAnswered = items.some(({ type, execution }) => type === 'tool_search_call' && execution === 'client');
  if (isAnswered) return 'its client searches for tools, for which Pawl has no results';
  const isChanged = exchanges.slice(0, -1).some(({ response }) => response.status === 400);
  return isChanged ? 'its server refused items that the client had changed' : null;
}

function request(exchange: Exchange<unknown>): ReadRequest {
  const body = exchange.request!.body as WireBody;
  const items = itemsOf(body.input);
  // A turn begins with a user message, or with a system message if there is no other message.
  const start = Math.max(
    items.findIndex((item) => !isSystem(item)),
    0,
  );
  const instructions = [body.instructions ?? '', ...items.slice(0, start).map(textOf)].filter(Boolean);
  return {
    said: items.slice(start).reduce(addItem, []),
    fields: {
      model: `openai-responses/${body.model}`,
      instructions: instructions.join('\n\n') || null,
      ...toolFields(body),
      ...(body.max_output_tokens ? { max_output_tokens: body.max_output_tokens } : {}),
      ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
      provider_options: optionsOf(body),
    },
  };
}

function toolFields({ tools = [], tool_choice: choice, parallel_tool_calls: parallel }: WireBody) {
  const functions = tools.filter(({ type }) => type === 'function');
  return {
    tools: functions.map(({ name, description, parameters }) => ({
      ...{ name: String(name), description: description ?? undefined, parameters },
      execution: { kind: 'client' },
    })),
    // The choice of a hosted tool can only be sent as a provider option.
    tool_choice: functions.length > 0 && typeof choice === 'string' ? choice : 'auto',
    parallel_tool_calls: (parallel as boolean | null | undefined) ?? null,
  };
}

/** Returns the fields that a turn lacks. They are merged unchanged. */
function optionsOf({ tools = [], tool_choice, ...body }: WireBody): Record<string, unknown> {
  const isPlain = tools.every(({ type, defer_loading: isDeferred }) => type === 'function' && !isDeferred);
  const own = ['include', 'reasoning', 'text', 'max_tool_calls'].filter((field) => field in body);
  return {
    ...Object.fromEntries(own.map((field) => [field, body[field]])),
    ...(isPlain ? {} : { tools, ...(tool_choice ? { tool_choice } : {}) }),
  };
}

function isSystem({ role = '' }: WireItem): boolean {
  return role === 'system' || role === 'developer';
}

/** Adds an item to the messages. The items of one reply are one assistant message. */
function addItem(said: Said[], item: WireItem): Said[] {
  if (item.type === 'function_call_output') {
    // One client prefixes the response id to call ids that its server reuses.
    const id = String(item.call_id).replace(/^resp_\w+:/, '');
    return [...said, { role: 'tool', id, text: outputOf(item), isError: false }];
  }
  if (item.role === 'user' || isSystem(item)) {
    return [...said, { role: isSystem(item) ? 'system' : 'user', text: textOf(item) }];
  }
  const open = said.at(-1);
  const calls = item.type === 'function_call' ? 1 : 0;
  const text = item.role === 'assistant' ? textOf(item) : '';
  if (open?.role !== 'assistant') return [...said, { role: 'assistant', text, calls }];
  return [...said.slice(0, -1), { ...open, text: open.text + text, calls: open.calls + calls }];
}

function textOf({ content }: Pick<WireItem, 'content'>): string {
  return partsOf(content)
    .map(({ text, refusal }) => text ?? refusal ?? MEDIA)
    .join('\n\n');
}

function outputOf({ output }: WireItem): string {
  return typeof output === 'string' ? output : textOf({ content: output as WirePart[] });
}

function reply(exchange: Exchange<unknown>): ReadReply {
  const { items, text, calls, status, usage } = heardIn(exchange);
  const isRefused = exchange.response.status !== 200 || status === 'failed';
  const isEmpty = !text.trim() && items.every(({ type }) => type === 'message');
  return {
    text,
    calls: calls.map((call) => ({ ...call, arguments: JSON.parse(call.arguments || '{}') })),
    usage: usage && {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      total_tokens: usage.total_tokens,
      cached_input_tokens: usage.input_tokens_details?.cached_tokens ?? 0,
      cache_write_tokens: usage.input_tokens_details?.cache_write_tokens ?? 0,
      reasoning_tokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
    },
    problem: isRefused ? 'refused' : isEmpty ? 'provider_bad_response' : null,
  };
}
