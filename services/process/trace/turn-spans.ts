import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { type Reply, sumCosts, usageOfTurn, usagesOfTurn } from '#core/turn/reply.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { ToolResult } from '#core/turn/tool-result.ts';
import type { Round, TerminalStatus, ToolCall, Turn } from '#core/turn/turn.ts';
import { chatSpanId, toolSpanId, turnSpanId } from './span-ids.ts';
import type { SpanAttributes, TurnSpan } from './tracer.ts';

// The names are those of the GenAI semantic conventions v0.1.0, status Development; what they lack is `pawl.…`.

/** How a turn ended. The turn is as it was before or after that. */
export type TurnEnd = {
  status: TerminalStatus;
  errorCode?: string | undefined;
  output?: string | undefined;
  /** What the round used that ended it, where the turn does not have that yet. */
  lastRound?: Pick<Round, 'usage'>;
  endedAt: number;
};

/** The parameters of a request to a model, and the server that it goes to. */
export type RequestedParameters = Pick<RoundRequest, 'maxOutputTokens' | 'temperature' | 'topP'> &
  Pick<Provider, 'server'>;

/** One try of a round; `reply` is null where it brought none, and `errorType` says why. */
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
  /** The try before, where that failed. */
  failedBefore: { round: number; startedAt: number } | null;
};

/** A call with its result, and when it ran. */
export type AnsweredCall = { call: ToolCall; result: ToolResult; startedAt: number; endedAt: number };

/** `invoke_agent`: from the turn's creation, or its reopening, to its end. */
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

/** `chat {model}`: one try of a round. */
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

/** `execute_tool {tool}`: a call, linked to the `chat` that asked for it. */
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

/** The conventions' names of providers, where they are others than ours. */
const PROVIDERS: Record<string, string> = { gemini: 'gcp.gemini', xai: 'x_ai' };

/** Every request is streamed, whatever the caller of the turn asked for. */
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

/** A tool that asks another service is an extension, one that runs in the worker or at a client a function. */
function typeOf({ config }: Turn, { name }: ToolCall): string {
  const kind = config.tools.find((tool) => tool.name === name)?.execution?.kind;
  return kind === 'http' || kind === 'mcp' ? 'extension' : 'function';
}
