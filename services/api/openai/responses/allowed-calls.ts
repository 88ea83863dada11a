import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { type AllowedCall, adoptCalls, findAdopter } from '#core/checkpoint/turns/adopt-calls.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import { assignCallIds, callsOf, isApprovalRequest } from '#core/turn/call.ts';
import { allowingItems } from '#core/turn/request/item.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import { readItemId, responseIdOf } from '#core/turn/responses/item-id.ts';
import { isTerminal, type ToolCall, type Turn } from '#core/turn/turn.ts';
import { checkRunsAllowed } from '../../../start/agents/allowed-agents.ts';
import type { ResolvedItem } from './resolve-input.ts';

/**
 * The scope of a search for requests: the responses of a project. `last` is the turn that the new turn follows. With
 * `allowedAgents`, only turns of these agents.
 */
type Allowing = { project: string; last: Turn | undefined; allowedAgents: readonly string[] | null };

/**
 * A call that an input allows, and its tool, from the turn that requested the call. `param` is the field that allows
 * it.
 */
type FoundCall = { turnId: string; call: ToolCall; tool: TurnTool; reason: string | null; param: string };

/** Finds the calls that an input allows, in order, each with its tool. Their requests are open. */
export async function findAllowedCalls(trx: Trx, input: ResolvedItem[], place: Allowing): Promise<FoundCall[]> {
  const found: FoundCall[] = [];
  for (const { approval_request_id: id, reason } of allowingItems(input.map(({ item }) => item))) {
    const asked = await findAsked(trx, id, place);
    const param = paramOf(id, input);
    if (!asked) throw requestNotFound(id, param);
    found.push({ ...asked, reason, param });
  }
  return found;
}

/**
 * Makes a new turn run calls before its first round. Refuses the create if a request was allowed before, even if that
 * response failed or was deleted (R22).
 */
export async function adoptAllowedCalls(
  trx: Trx,
  turn: Turn,
  { found, keyId }: { found: FoundCall[]; keyId: string | null },
): Promise<void> {
  const at = new Date().toISOString();
  const requested = assignCallIds(
    found.map(({ call }) => call),
    turn,
  );
  const calls = found.map(({ turnId, call: { round, index }, reason }, place): AllowedCall => {
    const approval = { decision: 'allow' as const, reason, by: keyId, at };
    return { turnId, round, index, id: requested[place]?.id ?? '', approval };
  });
  const adopted = await adoptCalls(trx, { turnId: turn.id, calls });
  const used = found.find((_, place) => !adopted.includes(place));
  if (used) throw alreadyUsed(await findAdopter(trx, { turnId: used.turnId, ...used.call }), used.param);
}

/** Returns the reason why a request is not open: it was allowed before, or it does not exist. */
export async function requestNotOpen(
  db: Db,
  requestId: string,
  { project, param }: { project: string; param: string },
): Promise<RequestRefused> {
  const named = readRequestId(requestId);
  const turn = named && (await findTurn(db, project, named.turnId));
  const adopter = turn && (await findAdopter(db, named));
  return adopter ? alreadyUsed(adopter, param) : requestNotFound(requestId, param);
}

async function findAsked(
  trx: Trx,
  requestId: string,
  { project, last, allowedAgents }: Allowing,
): Promise<Pick<FoundCall, 'turnId' | 'call' | 'tool'> | undefined> {
  const named = readRequestId(requestId);
  if (!named) return undefined;
  const turn = named.turnId === last?.id ? last : await findTurn(trx, project, named.turnId);
  // The call has no index any more if an earlier call was deleted.
  const call = turn && callsOf(turn, named.round).find(({ index }) => index === named.index);
  const tool = turn?.config.tools.find(({ name }) => name === call?.name);
  if (allowedAgents && turn) checkRunsAllowed(turn.config.agent, allowedAgents);
  if (!call || !tool || !isTerminal(turn.status) || !isApprovalRequest(turn.config, call)) return undefined;
  return { turnId: turn.id, call, tool };
}

function readRequestId(requestId: string): Pick<AllowedCall, 'turnId' | 'round' | 'index'> | undefined {
  const named = readItemId(requestId);
  if (named?.place.kind !== 'round' || named.place.prefix !== 'mcpr' || named.place.call === null) return undefined;
  return { turnId: named.turnId, round: named.place.round, index: named.place.call };
}

function paramOf(requestId: string, input: ResolvedItem[]): string {
  const answers = ({ item }: ResolvedItem) => 'approval_request_id' in item && item.approval_request_id === requestId;
  return `input[${input.find(answers)?.at ?? 0}].approval_request_id`;
}

function requestNotFound(requestId: string, param: string): RequestRefused {
  const message = `No approval request with id ${quote(requestId)} is open here. Answer a request directly after the stored response that made it.`;
  return new RequestRefused(400, 'item_not_found', message, param);
}

function alreadyUsed(adopter: string | null | undefined, param: string): RequestRefused {
  const by = adopter ? responseIdOf(adopter) : 'another response';
  const message = `This request was already allowed: ${by} runs its call. Continue that response, or deny the request.`;
  return new RequestRefused(400, 'approval_already_used', message, param);
}
