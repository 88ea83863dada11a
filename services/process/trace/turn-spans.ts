import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { type Reply, sumCosts, usageOfTurn, usagesOfTurn } from '#core/turn/reply.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { Round, TerminalStatus, ToolCall, Turn } from '#core/turn/turn.ts';
import { chatSpanId, toolSpanId, turnSpanId } from './span-ids.ts';
import type { SpanAttributes, TurnSpan } from './tracer.ts';

// The names are those of the GenAI semantic conventions v0.1.0, status Development. Other names begin with `pawl.`.

/** The end of a turn, in its state before or after the end. */
export type TurnEnd = {
  status: TerminalStatus;
  errorCode?: string | undefined;
  output?: string | undefined;
  /** The usage of the last round, if the turn does not have it yet. */
  lastRound?: Pick<Round, 'usage'>;
  endedAt: number;
};

export type RequestedParameters = Pick<RoundRequest, 'maxOutputTokens' | 'temperature' | 'topP'> &
  Pick<Provider, 'server'>;

/** An attempt of a round. `reply` is null if it failed, and `errorType` is the reason. */
export type TriedRound = {
  round: number;
  model: string;
  /** Null if the request was not made. */
  sent: RequestedParameters | null;
  startedAt: number;
  endedAt: number;
  firstChunkAt: number | null;
  queueWaitMs: number;
  attempt: number;
  reply: Reply | null;
  errorType: string | null;
  /** The attempt before, if it failed. */
  failedBefore: { round: number; startedAt: number } | null;
};

/** A call with its result, and its start and end. */
export type AnsweredCall = { call: ToolCall; result: ToolResult; startedAt: number; endedAt: number };

/** Returns the span `invoke_agent`, from the turn's creation or reopening to its end. */
export function turnSpan(turn: Turn, { status, errorCode, lastRound, endedAt }: TurnEnd): TurnSpan {
  const { reopened = 0, reopenedAt } = turn.trace ?? {};
  const { compactions } = turn;
  const used = { rounds: [...turn.rounds, ...(lastRound ? [lastRound] : [])], compactions };
  const usage = usageOfTurn(used);
  return {
    ...{ turn, name: 'invoke_agent', kind: 'internal', id: turnSpanId(turn), parentId: null },
    startedAt: Date.parse(iso(reopenedAt ?? turn.createdAt)),
    endedAt,
    attributes: {
      ...commonOf(turn, 'invoke_agent'),
      ...modelOf(turn.config.model),
      ...usedTokens(usage),
      'pawl.cost_usd': sumCosts(usagesOfTurn(used)),
      'pawl.turn.status': status,
    },
    links: reopened > 0 ? [turnSpanId(turn, 0)] : [],
    errorType: status === 'failed' ? (errorCode ?? 'failed') : null,
  };
}

/** Returns the span `chat {model}` of a round's attempt. */
export function chatSpan(turn: Turn, tried: TriedRound): TurnSpan {
  const { reply, model, startedAt, endedAt, firstChunkAt, failedBefore } = tried;
  return {
    ...{ turn, name: `chat ${splitModel(model).model}`, kind: 'client' },
    ...{ id: chatSpanId(turn, tried), parentId: turnSpanId(turn), startedAt, endedAt },
    attributes: {
      ...commonOf(turn, 'chat'),
      ...modelOf(model),
      ...(tried.sent && requestedWith(tried.sent)),
      ...(reply && repliedWith(reply)),
      'gen_ai.response.time_to_first_chunk': firstChunkAt === null ? null : (firstChunkAt - startedAt) / 1000,
      'pawl.round': tried.round,
      'pawl.attempt': tried.attempt,
      'pawl.queue_wait': tried.queueWaitMs / 1000,
    },
    links: failedBefore ? [chatSpanId(turn, failedBefore)] : [],
    errorType: tried.errorType,
  };
}

/** Returns the span `execute_tool {tool}` of a call, linked to the `chat` that requested it. */
export function toolSpan(turn: Turn, { call, result, startedAt, endedAt }: AnsweredCall): TurnSpan {
  const round = turn.rounds.find(({ number }) => number === call.round);
  const askedBy = round && { round: round.number, startedAt: Date.parse(iso(round.startedAt)) };
  return {
    ...{ turn, name: `execute_tool ${call.name}`, kind: 'internal' },
    ...{ id: toolSpanId(turn, call), parentId: turnSpanId(turn), startedAt, endedAt },
    attributes: {
      ...commonOf(turn, 'execute_tool'),
      'gen_ai.tool.name': call.name,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.type': typeOf(turn, call),
      'pawl.round': call.round,
      'pawl.attempt': result.attempts,
    },
    links: askedBy ? [chatSpanId(turn, askedBy)] : [],
    errorType: result.error?.category ?? null,
  };
}

function commonOf({ id, project, conversationId }: Turn, operation: string): SpanAttributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.conversation.id': conversationId,
    'pawl.turn.id': id,
    'pawl.project': project,
  };
}

function modelOf(name: string): SpanAttributes {
  const { provider, model } = splitModel(name);
  return { 'gen_ai.provider.name': PROVIDERS[provider] ?? provider, 'gen_ai.request.model': model };
}

/** The conventions' names of providers that differ from Pawl's. */
const PROVIDERS: Record<string, string> = { gemini: 'gcp.gemini', xai: 'x_ai' };

/** Returns the parameters of a request. Every request is streamed, even if the caller of the turn does not stream. */
function requestedWith({ maxOutputTokens, temperature, topP, server }: RequestedParameters): SpanAttributes {
  return {
    'gen_ai.request.stream': true,
    'gen_ai.request.max_tokens': maxOutputTokens,
    'gen_ai.request.temperature': temperature,
    'gen_ai.request.top_p': topP,
    'server.address': server?.address,
    'server.port': server?.port,
  };
}

function repliedWith({ finishReason, usage, responseId, responseModel }: Reply): SpanAttributes {
  return {
    'gen_ai.response.id': responseId,
    'gen_ai.response.model': responseModel,
    'gen_ai.response.finish_reasons': [finishReason],
    ...(usage && usedTokens(usage)),
    'pawl.cost_usd': usage?.cost_usd,
  };
}

function usedTokens(usage: ReturnType<typeof usageOfTurn>): SpanAttributes {
  return {
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cached_input_tokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cache_write_tokens,
  };
}

/** Returns the type of a tool: `extension` if another service runs it, `function` if a worker or client does. */
function typeOf({ config }: Turn, { name }: ToolCall): string {
  const kind = config.tools.find((tool) => tool.name === name)?.execution?.kind;
  return kind === 'http' || kind === 'mcp' ? 'extension' : 'function';
}
