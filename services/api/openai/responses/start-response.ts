import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { beginTurn } from '#core/checkpoint/turns/begin.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId, newIdBeside } from '#core/id.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import type { TurnTrace } from '#core/trace-context.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import { lacksSlot, type Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import type { Created, Creation } from '../../../start/creation.ts';
import { hasData, keepTaken, type TakenInput } from '../../../start/take-parts.ts';
import { insufficientScope } from '../../http/scopes.ts';
import { adoptAllowedCalls, findAllowedCalls } from './allowed-calls.ts';
import { checkInputAgainst, findPredecessor, type Predecessor } from './predecessor.ts';
import type { ReadRequest } from './request/read-request.ts';
import { KEPT, type ResolvedItem, resolveInput, takeResolved } from './resolve-input.ts';

/**
 * A response to start: its create request, its project, the key that sent it, whether that key may approve, and the
 * provider's wire.
 */
export type ResponseStart = {
  project: string;
  keyId: string | null;
  mayApprove: boolean;
  /** The names of the only agents that the key may use. */
  allowedAgents: readonly string[] | null;
  request: ReadRequest;
  wire: Capabilities['wire'];
  /** The trace of the request. */
  trace: TurnTrace | null;
  /** Whether the turn needs a slot before a worker may run it. */
  needsSlot: boolean;
};

/**
 * The turn of the response, the wake-ups to enqueue after the commit, and its id if it has ended. `follows` is the id
 * of the turn that it is based on.
 */
export type StartedResponse = Created & { turn: Turn; wakeups: Wakeup[]; ended?: string[]; follows: string | null };

/** Starts a response: in one statement if it is based on no turn, else under the lock of its base. */
export function startingOf(start: ResponseStart): Creation<StartedResponse> {
  const { previousResponseId, conversationId, follows = null, input, isWarmUp } = start.request;
  if (isWarmUp) return { inTransaction: (trx) => startWithoutModel(trx, start) };
  const hasReferences = input.some(({ item }) => 'type' in item && REFERRING.includes(item.type));
  const standsAlone = (previousResponseId ?? conversationId ?? follows) === null && !hasReferences;
  if (!standsAlone) return { inTransaction: (trx) => startInChain(trx, start) };
  const items = input.flatMap(({ item }) => ('type' in item && item.type === 'item_reference' ? [] : [item]));
  return hasData(items)
    ? { inTransaction: (trx) => startWithData(trx, start) }
    : { alone: async (db) => (await startAlone(db, start)).created };
}

/** Items that refer to other items. */
const REFERRING = ['item_reference', 'mcp_approval_response'];

async function startAlone(db: Db, start: ResponseStart): Promise<{ created: StartedResponse; taken: TakenInput }> {
  const { project } = start;
  const resolved = await resolveInput(db, start.request.input, { project, last: undefined });
  const input = await checkInputAgainst(db, { input: resolved, project });
  const taken = await takeResolved(db, input, start);
  const turn = newTurn(start, taken, { keptItems: countKept(input) });
  return { created: started(await createAlone(db, turn, null)), taken };
}

async function startWithData(trx: Trx, start: ResponseStart): Promise<StartedResponse> {
  const { created, taken } = await startAlone(trx, start);
  await keepTaken(trx, { project: start.project, turnId: created.turn.id, taken });
  return created;
}

/**
 * Records a response after its base, while the conversation of the base is locked: as the next turn there, or as the
 * first turn of a fork. The response begins with the calls that its input allows.
 */
async function startInChain(trx: Trx, start: ResponseStart): Promise<StartedResponse> {
  const { project, keyId } = start;
  const predecessor = await findPredecessor(trx, start);
  const last = predecessor?.last;
  const resolved = await resolveInput(trx, start.request.input, { project, last });
  if (!start.mayApprove) refuseApprovals(resolved);
  const input = await checkInputAgainst(trx, { predecessor, input: resolved, project });
  const taken = await takeResolved(trx, input, start);
  const found = await findAllowedCalls(trx, input, { project, last, allowedAgents: start.allowedAgents });
  const turn = await createBehind(
    trx,
    predecessor,
    newTurn(start, taken, { predecessor, allowed: found, keptItems: countKept(input) }),
  );
  await keepTaken(trx, { project, turnId: turn.id, taken });
  const follows = last?.id ?? null;
  if (found.length === 0) return started(turn, follows);
  await adoptAllowedCalls(trx, turn, { found, keyId });
  return started((await loadTurn(trx, turn.id)) ?? turn, follows);
}

/**
 * Records a response that asks no model: its turn starts and ends in the transaction that creates it. No worker sees
 * the turn. If the turn would have to wait, it is refused and not recorded.
 */
async function startWithoutModel(trx: Trx, start: ResponseStart): Promise<StartedResponse> {
  const created = await startInChain(trx, { ...start, needsSlot: false });
  const { id, conversationId } = created.turn;
  // No worker has the turn, so this process acts as its run.
  if (!(await beginTurn(trx, id, id))) throw mustWait();
  const wakeups = await endTurn(trx, { turnId: id, conversationId, status: 'completed', output: '' });
  return { ...created, turn: (await loadTurn(trx, id)) ?? created.turn, wakeups: wakeups ?? [], ended: [id] };
}

function mustWait(): RequestRefused {
  const message =
    '`generate` cannot be false while the previous response runs or if the input approves a call. Wait for its end, or ' +
    'leave out `generate`.';
  return new RequestRefused(400, 'previous_response_not_finished', message, 'generate');
}

/** An answer to an approval request needs the same scope as the approvals route. */
function refuseApprovals(input: ResolvedItem[]): void {
  const answer = input.find(({ item }) => 'type' in item && item.type === 'mcp_approval_response');
  if (answer) throw insufficientScope('approve', `input[${answer.at}]`);
}

function createBehind(trx: Trx, predecessor: Predecessor | undefined, turn: NewTurn): Promise<Turn> {
  if (!predecessor || predecessor.isFork) return createAlone(trx, turn, predecessor?.last ?? null);
  return createTurn(trx, turn);
}

/**
 * Records the first turn of a conversation that is deleted with its last turn. With an origin, it is the first turn
 * of a fork.
 */
function createAlone(db: Db, turn: NewTurn, origin: Turn | null): Promise<Turn> {
  const forkedFrom = origin && { turnId: origin.id, position: origin.position };
  const standing = { config: {}, metadata: {}, outlivesTurns: false, ...(forkedFrom && { forkedFrom }) };
  return createFirstTurn(db, turn, standing);
}

/** The parts of a new turn that the database determines. `allowed` are the calls that it runs first. */
type TurnParts = { predecessor?: Predecessor | undefined; allowed?: { tool: TurnTool }[]; keptItems: number };

/** Counts the items at the start of an input that are from a kept response. */
function countKept(input: ResolvedItem[]): number {
  return input.filter(({ at }) => at === KEPT).length;
}

function newTurn(
  { project, keyId, request, trace, needsSlot }: ResponseStart,
  { input }: TakenInput,
  { predecessor, allowed = [], keptItems }: TurnParts,
): NewTurn {
  const { metadata, priority, store, completion } = request;
  const conversationId = conversationIdBehind(predecessor, request.newConversationId);
  const ids = { id: newIdBeside('turn', conversationId), conversationId };
  const adopted = allowed.length > 0 ? { adopted_tools: allowed.map(({ tool }) => tool) } : {};
  const { response } = request.config;
  const kept = response && keptItems > 0 ? { response: { ...response, kept_items: keptItems } } : {};
  const config = { ...request.config, ...adopted, ...kept };
  return { ...ids, project, keyId, config, input, metadata, priority, stored: store, trace, needsSlot, completion };
}

function conversationIdBehind(predecessor: Predecessor | undefined, own: string | undefined): string {
  if (!predecessor) return own ?? newId('conv');
  const { conversationId, isFork } = predecessor;
  return isFork ? newIdBeside('conv', conversationId) : conversationId;
}

/** A turn that is not at the head waits for the turn at the head. */
function started(turn: Turn, follows: string | null = null): StartedResponse {
  return {
    status: 200,
    resourceId: turn.id,
    ...{ turn, follows },
    wakeups: turn.work.atHead && !lacksSlot(turn) ? [wakeupOf(turn)] : [],
  };
}
