import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import { unsupportedParts } from '#core/llm/parts/unsupported-parts.ts';
import type { Capabilities } from '#core/llm/provider.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import type { Made, Making } from '../http/idempotency.ts';
import { adoptAllowedCalls, findAllowedCalls } from './allowed-calls.ts';
import { checkInputAgainst, findPredecessor, type Predecessor } from './predecessor.ts';
import type { ReadRequest } from './read-request.ts';
import { placedParam, type ResolvedItem, resolveInput } from './resolve-input.ts';

/**
 * A response to be started: its create request, read, whose it is, the key that sent it, and the wire of the provider that it
 * goes to.
 */
export type ResponseStart = {
  project: string;
  keyId: string | null;
  request: ReadRequest;
  wire: Capabilities['wire'];
};

/** The turn that the response is, with the wake-ups to enqueue after the commit. */
export type StartedResponse = Made & { turn: Turn; wakeups: Wakeup[] };

/** How a response is started: in one statement where it stands on nothing, else under the lock of what it stands on. */
export function startingOf(start: ResponseStart): Making<StartedResponse> {
  const { previousResponseId, conversationId, input } = start.request;
  const hasReferences = input.some(({ item }) => 'type' in item && REFERRING.includes(item.type));
  const standsAlone = previousResponseId === null && conversationId === null && !hasReferences;
  return standsAlone ? { atOnce: (db) => startAlone(db, start) } : { together: (trx) => startInChain(trx, start) };
}

/** Items that name others. */
const REFERRING = ['item_reference', 'mcp_approval_response'];

async function startAlone(db: Db, start: ResponseStart): Promise<StartedResponse> {
  const { project } = start;
  const input = await resolveInput(db, start.request.input, { project, last: undefined });
  await checkInputAgainst(db, { input, project });
  checkParts(start, input);
  return started(await createAlone(db, newTurn(start, input), null));
}

/**
 * Records a response behind what it stands on, whose conversation is locked: as the next turn of that conversation, or as
 * the first of a fork (contract-responses R24–R26, R32). It begins with the calls that its input allows.
 */
async function startInChain(trx: Trx, start: ResponseStart): Promise<StartedResponse> {
  const { project, keyId } = start;
  const predecessor = await findPredecessor(trx, start);
  const last = predecessor?.last;
  const input = await resolveInput(trx, start.request.input, { project, last });
  await checkInputAgainst(trx, { predecessor, input, project });
  checkParts(start, input);
  const found = await findAllowedCalls(trx, input, { project, last });
  const turn = await createBehind(trx, predecessor, newTurn(start, input, found));
  if (found.length === 0) return started(turn);
  await adoptAllowedCalls(trx, turn, { found, keyId });
  return started((await loadTurn(trx, turn.id)) ?? turn);
}

function createBehind(trx: Trx, predecessor: Predecessor | undefined, turn: NewTurn): Promise<Turn> {
  if (!predecessor || predecessor.isFork) return createAlone(trx, turn, predecessor?.last ?? null);
  return createTurn(trx, { ...turn, conversationId: predecessor.conversationId });
}

/** Refuses images and files that the provider's wire cannot take (contract-responses R22). */
function checkParts({ wire }: ResponseStart, input: ResolvedItem[]): void {
  const problem = unsupportedParts(
    wire,
    input.map(({ item }) => item),
  );
  if (problem) throw new RequestRefused(400, 'unsupported_content', problem.message, placedParam(problem.param, input));
}

/** Records the first turn of a conversation that goes with its last turn; with an origin, of a fork. */
function createAlone(db: Db, turn: NewTurn, origin: Turn | null): Promise<Turn> {
  const forkedFrom = origin && { turnId: origin.id, position: origin.position };
  const standing = { config: {}, metadata: {}, outlivesTurns: false, ...(forkedFrom && { forkedFrom }) };
  return createFirstTurn(db, turn, standing);
}

function newTurn(
  { project, request }: ResponseStart,
  input: ResolvedItem[],
  allowed: { tool: TurnTool }[] = [],
): NewTurn {
  const { metadata, priority, store } = request;
  const ids = { id: newId('turn'), conversationId: newId('conv') };
  const adopted = allowed.length > 0 ? { adopted_tools: allowed.map(({ tool }) => tool) } : {};
  const config = { ...request.config, ...adopted };
  return { ...ids, project, config, input: input.map(({ item }) => item), metadata, priority, stored: store };
}

/** A turn that is not at the head waits for the one that is. */
function started(turn: Turn): StartedResponse {
  return { status: 200, resourceId: turn.id, turn, wakeups: turn.work.atHead ? [wakeupOf(turn)] : [] };
}
