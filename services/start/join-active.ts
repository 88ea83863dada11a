import { isDeepStrictEqual } from 'node:util';
import type { Trx } from '#core/checkpoint/tables.ts';
import { debounceTurn } from '#core/checkpoint/turns/inputs/debounce.ts';
import { findJoinable, type JoinableTurn } from '#core/checkpoint/turns/inputs/find-joinable.ts';
import { joinTurn } from '#core/checkpoint/turns/inputs/join.ts';
import { RequestRefused } from '#core/failure.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { nameVersion } from '#core/turn/agents/agent-reference.ts';
import type { StandingConfig, TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { checkRunsAllowed } from './agents/allowed-agents.ts';
import type { Created } from './creation.ts';
import { keepTaken, type TakenInput } from './take-parts.ts';

/**
 * A request with input that may join a turn. `given` are the configuration fields of the request, and `config` is the
 * whole configuration.
 */
type Joining = {
  project: string;
  conversationId: string;
  config: TurnConfig;
  given?: StandingConfig;
  allowedAgents?: readonly string[] | null;
  taken: TakenInput;
  request: Partial<Pick<TurnRequest, 'on_active_turn' | 'debounce_ms' | 'priority' | 'metadata'>>;
};

/**
 * Adds the input of a request to an existing turn: the active turn, or the last turn that has not started. Null
 * without such a turn, so that the caller creates a turn. The caller has locked the conversation, so no turn ends in
 * between (R26). A turn may start, and then the next turn that has not started is tried.
 */
export async function joinActive(trx: Trx, start: Joining): Promise<Created | null> {
  const { project, conversationId, taken, request } = start;
  const { on_active_turn: policy, debounce_ms: debounceMs, metadata } = request;
  if (policy !== 'steer' && policy !== 'merge') return null;
  for (;;) {
    const turn = await findJoinable(trx, conversationId, policy);
    if (!turn) return null;
    refuseAgent(turn, start);
    refuseDifferent(turn, start);
    refuseUnsupportedParts(turn, start);
    const input = { content: taken.input, metadata: metadata ?? {} };
    if (!(await joinTurn(trx, turn.id, input, { isQueued: policy === 'merge' }))) continue;
    if (debounceMs) await debounceTurn(trx, turn.id, debounceMs);
    await keepTaken(trx, { project, turnId: turn.id, taken });
    return { status: 200, resourceId: turn.id };
  }
}

function refuseAgent({ config }: JoinableTurn, { allowedAgents }: Joining): void {
  if (allowedAgents) checkRunsAllowed(config.agent, allowedAgents);
}

/** Refuses fields for a new turn that differ from the joined turn. */
function refuseDifferent(turn: JoinableTurn, { config, request, given = {} }: Joining): void {
  const field = differentField(turn, { config, given: { ...given, priority: request.priority } });
  if (!field) return;
  const message = `\`${field}\` differs from the value of ${turn.id}, which the input would join. Leave it out, or start a separate turn.`;
  throw new RequestRefused(409, 'turn_differs', message, field);
}

/** The joined turn may use another wire than the wire chosen for this input. */
function refuseUnsupportedParts(
  { config: { model, fallback_models: fallbacks = [], wires } }: JoinableTurn,
  given: Joining,
): void {
  for (const { provider } of [model, ...fallbacks].map(splitModel)) {
    if (wires?.[provider] === given.config.wires?.[provider]) continue;
    const problem = unsupportedParts(wires?.[provider] ?? 'openai', given.taken.input);
    if (problem) throw new RequestRefused(400, 'unsupported_content', problem.message, problem.param);
  }
}

type Given = Partial<Pick<TurnRequest, 'limits' | 'priority'>>;

/** Returns the first given field that differs from the turn. Each limit counts as a field. */
function differentField(
  turn: JoinableTurn,
  { config, given }: { config: TurnConfig; given: Given },
): string | undefined {
  const { limits, priority, ...others } = given;
  const asked = Object.entries(others).flatMap(([name, value]) =>
    value === undefined ? [] : (name as keyof TurnConfig),
  );
  const [own, joined] = [comparable(config), comparable(turn.config)];
  const different = asked.find((name) => !isSame(own[name], joined[name]));
  if (different) return different;
  const limit = limitsOf(limits).find((name) => config.limits[name] !== turn.config.limits[name]);
  if (limit) return `limits.${limit}`;
  return typeof priority === 'number' && priority !== turn.priority ? 'priority' : undefined;
}

/** Returns the fields with which turns are compared. Other fields that are given are compared themselves. */
function comparable({ agent, ...config }: TurnConfig): Omit<TurnConfig, 'agent'> & { agent?: unknown } {
  return { ...config, ...(agent && { agent: nameVersion({ ...agent, name: agent.id }) }) };
}

function limitsOf(given: Given['limits']): (keyof TurnConfig['limits'])[] {
  return Object.keys(given ?? {}) as (keyof TurnConfig['limits'])[];
}

/** Compares values in their stored form. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value ?? null)) as unknown;
  return isDeepStrictEqual(plain(one), plain(other));
}
