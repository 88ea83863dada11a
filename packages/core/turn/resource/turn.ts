import { jsonObject } from '../../json.ts';
import type { AgentOfTurn } from '../agents/agent-of-turn.ts';
import { allCalls } from '../call.ts';
import type { Compaction } from '../compaction/compaction.ts';
import type { TurnOrigin } from '../forks/turn-origin.ts';
import { annotationsWithin, type Hosted, outputPartsOf } from '../hosted/hosted.ts';
import { isWaiting } from '../next-step.ts';
import { hasInvalidOutput, parsedOutput } from '../output/output-schema.ts';
import { shownPart } from '../parts/part-data.ts';
import { sumCosts, sumHostedCalls, sumSavings, type Usage, usageOfTurn } from '../reply.ts';
import type { Part } from '../request/item.ts';
import { responseIdOf } from '../responses/item-id.ts';
import { readStep } from '../step.ts';
import { isTerminal, type ListedTurn, type Round, type ToolCall, type Turn, type WaitsFor } from '../turn.ts';
import { fitResults } from './cut-results.ts';
import { presentInput } from './input.ts';
import { iso } from './iso.ts';
import { type PartsAway, waitingOf } from './waiting.ts';

export type TurnResource = ReturnType<typeof presentTurn>;
export type ListedTurnResource = ReturnType<typeof presentListed>;

/** Returns the turn as callers see it. `away` has the parts of the service that are away for this process. */
export function presentTurn(turn: Turn, away?: PartsAway) {
  const callCount = allCalls(turn).length;
  return fitResults({
    ...beginningOf(turn),
    ...presentAdopted(turn),
    rounds: turn.rounds.map((round) => presentRound(withoutOutput(turn, round), turn.work.leased)),
    ...presentCompactions(turn),
    ...restOf({ ...turn, callCount }, away),
  });
}

type Compactions = { compactions?: ReturnType<typeof presentCompaction>[] };

function presentCompactions({ compactions }: Turn): Compactions {
  return compactions.length > 0 ? { compactions: compactions.map(presentCompaction) } : {};
}

function presentCompaction(compaction: Compaction) {
  return {
    round: compaction.round,
    strategy: compaction.strategy,
    up_to_turn: compaction.upToTurn,
    up_to_round: compaction.upToRound,
    before_tokens: compaction.beforeTokens,
    after_tokens: compaction.afterTokens,
    summary: compaction.summary,
    model: compaction.model,
    usage: presentUsage(compaction.usage),
    created_at: iso(compaction.createdAt),
  };
}

/** Returns the turn for lists: the number of its rounds replaces its rounds. */
export function presentListed(turn: ListedTurn, away?: PartsAway) {
  return { ...beginningOf(turn), rounds_count: turn.rounds.length, ...restOf(turn, away) };
}

type BeginningTurn = Omit<ListedTurn, 'callCount' | 'rounds'> & { rounds: Pick<Round, 'hosted'>[] };

function beginningOf(turn: BeginningTurn) {
  // The last round wrote the output.
  const hosted = turn.output === null ? null : (turn.rounds.at(-1)?.hosted ?? null);
  return {
    id: turn.id,
    object: 'turn' as const,
    conversation_id: turn.conversationId,
    response_id: turn.config.response ? responseIdOf(turn.id) : null,
    status: turn.status,
    input: presentInput(turn.input),
    pending_input: presentInput(turn.pendingInput),
    agent: presentAgentOf(turn.config.agent),
    model: turn.config.model,
    round: turn.startedAt === null ? 0 : readStep(turn.work.step).round,
    phase: phaseOf(turn),
    last_event: turn.lastEvent,
    output: turn.output,
    output_parsed: parsedOutput(turn),
    ...presentHosted(turn.output, hosted),
    ...presentOrigin(turn.config.origin),
  };
}

function presentAgentOf(agent: AgentOfTurn | undefined) {
  return agent ? { id: agent.id, name: agent.name, version: agent.version } : null;
}

/** Returns the citations and the images of a text. The text of a last round is null: it is the turn's output. */
function presentHosted(text: string | null, hosted: Omit<Hosted, 'calls'> | null) {
  const annotations = hosted?.annotations ?? [];
  return {
    output_annotations: text === null ? annotations : annotationsWithin(annotations, text),
    output_parts: outputPartsOf(text, hosted),
  };
}

function presentOrigin(origin: TurnOrigin | null | undefined) {
  const fork = origin?.kind === 'fork' ? origin : null;
  return {
    forked_from: fork?.turnId ?? null,
    after_round: fork?.afterRound ?? null,
    rerun_of: origin?.kind === 'rerun' ? origin.turnId : null,
  };
}

function restOf(turn: ListedTurn, away: PartsAway | undefined) {
  return {
    required_action: requiredAction(turn),
    waiting: waitingOf(turn, away),
    incomplete_details: turn.incompleteReason === null ? null : { reason: turn.incompleteReason },
    error: turn.error,
    usage: usageOf(turn),
    warnings: turn.warnings,
    metadata: turn.metadata,
    schedule_id: turn.scheduleId,
    continues: turn.continues,
    created_at: iso(turn.createdAt),
    start_at: iso(turn.startAt),
    started_at: iso(turn.startedAt),
    completed_at: iso(turn.completedAt),
  };
}

/** Returns the calls that wait for a client's output or a person's approval, or null if there are none. */
function requiredAction({ status, rounds }: ListedTurn) {
  const waiting = isTerminal(status) ? [] : (rounds.at(-1)?.calls.filter(isWaiting) ?? []);
  if (waiting.length === 0) return null;
  const waitingFor = (kind: WaitsFor) => waiting.filter((call) => call.waitsFor === kind);
  return presentAction({ outputs: waitingFor('output'), approvals: waitingFor('approval') });
}

/** Returns waiting calls, by the kind of answer. At `expires_at` the first call expires. */
export function presentAction({ outputs, approvals }: { outputs: ToolCall[]; approvals: ToolCall[] }) {
  const expiries = [...outputs, ...approvals].flatMap(({ expiresAt }) => (expiresAt === null ? [] : [iso(expiresAt)]));
  return {
    tool_outputs: outputs.map(presentCall),
    approvals: approvals.map(presentCall),
    expires_at: expiries.sort()[0] ?? null,
  };
}

/** Returns a round without its text if the turn shows the text as output, after an answer that breaks the schema. */
function withoutOutput(turn: Turn, round: Round): Round {
  const isOutput = turn.status === 'failed' && hasInvalidOutput(turn) && round.number === turn.rounds.length;
  return isOutput ? { ...round, text: null } : round;
}

/** Returns a committed round with its calls and their known results. `isLeased`: a worker runs its batch. */
export function presentRound(round: Round, isLeased: boolean) {
  return {
    number: round.number,
    model: round.model,
    input: presentInput(round.input),
    assistant_response: round.text,
    finish_reason: round.finishReason,
    finish_reason_raw: round.finishReasonRaw,
    usage: presentUsage(round.usage),
    service_tier: round.serviceTier,
    tool_calls: round.calls.map(presentCall),
    results: round.calls.map((call) => presentResult(call, isLeased)),
    hosted_calls: round.hosted?.calls ?? [],
    ...presentHosted(round.text, round.hosted),
    started_at: iso(round.startedAt),
    completed_at: iso(round.completedAt),
    attempts: round.attempts,
  };
}

/** Returns the usage of a round, or null if its provider did not report it. */
export function presentUsage(usage: Usage | null) {
  if (usage === null) return null;
  const { cache_write_1h_tokens: _, cost_usd = null, cache_savings_usd = null, ...tokens } = usage;
  return { ...tokens, cost_usd, cache_savings_usd };
}

/** The field of a turn for adopted calls. */
export type AdoptedCalls = {
  adopted_calls?: { tool_calls: ReturnType<typeof presentCall>[]; results: ReturnType<typeof presentResult>[] };
};

/**
 * Returns the calls of earlier turns that a turn runs first, with their known results. Empty without adopted calls.
 */
export function presentAdopted({ adopted, work }: Pick<Turn, 'adopted' | 'work'>): AdoptedCalls {
  if (adopted.length === 0) return {};
  const results = adopted.map((call) => presentResult(call, work.leased));
  return { adopted_calls: { tool_calls: adopted.map(presentCall), results } };
}

/** Returns a call as the model requested it, with the arguments that a person changed (R39). */
export function presentCall(call: ToolCall) {
  return { ...presentRequested(call), ...presentApproved(call) };
}

/**
 * Returns a call as the model requested it. Its arguments are parsed, or the raw text if they are not a JSON object.
 */
export function presentRequested({ id, name, arguments: asked }: ToolCall) {
  return { id, name, arguments: jsonObject(asked || '{}') ?? asked };
}

function presentApproved({ approval }: ToolCall): { approved_arguments?: Record<string, unknown> } {
  const approved = approval?.arguments === undefined ? undefined : jsonObject(approval.arguments);
  return approved ? { approved_arguments: approved } : {};
}

/** Returns the known result of a call. `isLeased`: a worker runs its batch. */
export function presentResult(call: ToolCall, isLeased: boolean) {
  if (call.result) {
    const { partial: _, parts, ...result } = call.result;
    const content: string | Part[] | null = parts ? parts.map(shownPart) : result.content;
    return { tool_call_id: call.id, ...result, content };
  }
  const status = call.claimedBy !== null || isLeased ? ('running' as const) : ('pending' as const);
  const unknown = { content: null, error: null, truncated: false, cached: false, duration_ms: null, attempts: 0 };
  return { tool_call_id: call.id, status, ...unknown };
}

function phaseOf({ status, work }: Pick<Turn, 'status' | 'work'>): 'llm_round' | 'tool_batch' | null {
  if (isTerminal(status) || status === 'queued') return null;
  return readStep(work.step).kind === 'batch' ? 'tool_batch' : 'llm_round';
}

function usageOf(turn: ListedTurn) {
  const answered = [...turn.rounds, ...turn.compactions.filter(({ requests }) => requests > 0)];
  const requests = answered.reduce((sum, { requests }) => sum + requests, turn.failedRequests);
  const usages = answered.map(({ usage }) => usage);
  const dollars = { cost_usd: sumCosts(usages), cache_savings_usd: sumSavings(usages) };
  return {
    ...usageOfTurn(turn),
    ...sumHostedCalls(usages),
    ...dollars,
    llm_calls: requests,
    tool_calls: turn.callCount,
  };
}
