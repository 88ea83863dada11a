import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { findGivenOutputs } from '#core/checkpoint/turns/reading/given-outputs.ts';
import { asHistory } from '#core/checkpoint/turns/reading/history.ts';
import {
  conversationOf,
  findLastTurns,
  findTurnOfItems,
  lockConversation,
} from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import { quote } from '#core/text.ts';
import { checkInput } from '#core/turn/history/check-input.ts';
import { repeatedOutputs, surplusOutputs } from '#core/turn/history/repeated-outputs.ts';
import { responseIdOf, turnIdOf } from '#core/turn/responses/item-id.ts';
import { isAdded, isTerminal, type Turn } from '#core/turn/turn.ts';
import { requestNotOpen } from './allowed-calls.ts';
import type { ReadRequest } from './request/read-request.ts';
import { placedParam, type ResolvedItem } from './resolve-input.ts';

/**
 * The base of a new response: a conversation, and the turn that the new turn follows.
 * - `isFork`: the new turn starts a fork.
 * - `answerable`: that turn, and the turns before it if they only added items, back to the last turn that asked a
 *   model.
 * - `param`: the field that names the base.
 */
export type Predecessor = {
  conversationId: string;
  last: Turn | undefined;
  answerable: Turn[];
  isFork: boolean;
  param: 'conversation' | 'previous_response_id';
};

type Start = {
  project: string;
  request: Pick<ReadRequest, 'previousResponseId' | 'conversationId' | 'follows' | 'store'>;
};

/**
 * Locks the base of a create until the commit. Undefined if the response has no base. A branch needs a known base, so
 * a branch from a running turn is refused (R20).
 */
export async function findPredecessor(trx: Trx, { project, request }: Start): Promise<Predecessor | undefined> {
  const { store } = request;
  const followed = await findFollowed(trx, project, request);
  if (!followed) return undefined;
  // No turn depends on an unstored turn, so it never blocks another turn.
  const predecessor = { ...followed, isFork: followed.last !== undefined && (followed.isFork || !store) };
  const atWork = turnAtWork(followed);
  if (predecessor.isFork && atWork) throw notFinished(atWork, followed.param);
  return store || followed.last ? predecessor : undefined;
}

type Checked = {
  predecessor?: Predecessor | undefined;
  input: ResolvedItem[];
  project: string;
  mayStayOpen?: boolean;
};

/**
 * Returns an input without the outputs that its history already contains. Refuses results and calls that do not match
 * the history. Only the last turn can have open handed-over calls, because the input of each turn answers all calls
 * of the turn before. Calls in the input that `mayStayOpen` are answered later.
 */
export async function checkInputAgainst(db: Db, { input: sent, ...checked }: Checked): Promise<ResolvedItem[]> {
  const { predecessor, project, mayStayOpen = false } = checked;
  const { input, answered } = await leaveOutRepeated(db, sent, predecessor);
  const problem = checkInput(
    predecessor?.answerable ?? [],
    input.map(({ item }) => item),
    { mayStayOpen, answered },
  );
  if (!problem) return input;
  const { message, request } = problem;
  const isUnasked = request !== undefined || message.startsWith('No tool call');
  const atWork = predecessor && turnAtWork(predecessor);
  if (atWork && isUnasked) throw notFinished(atWork, predecessor.param);
  const param = placedParam(problem.param, input);
  if (request !== undefined) throw await requestNotOpen(db, request, { project, param });
  throw new RequestRefused(400, 'tool_output_mismatch', message, param);
}

/** Leaves out the outputs that repeat earlier outputs. `answered` are calls with an output in the history. */
async function leaveOutRepeated(
  db: Db,
  input: ResolvedItem[],
  predecessor: Predecessor | undefined,
): Promise<{ input: ResolvedItem[]; answered: string[] }> {
  const earlier = predecessor?.answerable ?? [];
  const items = input.map(({ item }) => item);
  const callIds = surplusOutputs(earlier, items);
  if (callIds.length === 0) return { input, answered: [] };
  const given = predecessor ? await findGivenOutputs(db, predecessor, callIds) : [];
  const repeated = repeatedOutputs(earlier, items, given);
  return { input: input.filter((_, index) => !repeated.has(index)), answered: given.map(({ call_id }) => call_id) };
}

function turnAtWork({ answerable }: Pick<Predecessor, 'answerable'>): Turn | undefined {
  return answerable.find(({ status }) => !isTerminal(status));
}

/** Locks a conversation of either API. Its last turn is the base. */
export async function findConversationEnd(trx: Trx, project: string, conversationId: string): Promise<Predecessor> {
  const conversation = isId('conv', conversationId) ? await lockConversation(trx, project, conversationId) : undefined;
  if (!conversation) {
    const message = `Conversation with id ${quote(conversationId)} not found. Check the id, and that the API key belongs to its project.`;
    throw new RequestRefused(404, 'conversation_not_found', message, 'conversation');
  }
  const answerable = await findLastTurns(trx, conversationId);
  return { conversationId, last: answerable.at(-1), answerable, isFork: false, param: 'conversation' };
}

/** Finds the turn, the response or the conversation that a request follows. */
async function findFollowed(
  trx: Trx,
  project: string,
  { previousResponseId, conversationId, follows = null }: Start['request'],
): Promise<Predecessor | undefined> {
  if (follows !== null) {
    const found = await findAfter(trx, project, follows);
    if (!found) throw previousNotFound(responseIdOf(follows));
    return found;
  }
  if (previousResponseId !== null) return findPrevious(trx, project, previousResponseId);
  return conversationId === null ? undefined : findConversationEnd(trx, project, conversationId);
}

async function findPrevious(trx: Trx, project: string, responseId: string): Promise<Predecessor> {
  const turnId = turnIdOf(responseId);
  const found = turnId === undefined ? undefined : await findAfter(trx, project, turnId);
  if (!found || isAdded(found.last)) throw previousNotFound(responseId);
  return found;
}

/** Finds the position after a turn, in its conversation or in a fork. Undefined if the project has no such turn. */
async function findAfter(
  trx: Trx,
  project: string,
  turnId: string,
): Promise<(Predecessor & { last: Turn }) | undefined> {
  const conversationId = await conversationOf(trx, project, turnId);
  const conversation = conversationId === undefined ? undefined : await lockConversation(trx, project, conversationId);
  // Reads the turn under the lock, because it may have ended or been deleted before.
  const found = conversation && (await findTurnOfItems(trx, project, turnId));
  if (!conversation || !found) return undefined;
  const last = asHistory(found);
  const isFork = conversation.lastPosition > last.position || isPassed(last);
  return { ...conversation, last, answerable: [last], isFork, param: 'previous_response_id' };
}

/**
 * Returns whether the turn was cancelled before it started, so that its conversation continues without it. Only a
 * fork includes such a turn.
 */
function isPassed({ status, startedAt, config }: Turn): boolean {
  return isTerminal(status) && startedAt === null && config.response?.conversation !== null;
}

/** Returns the refusal of a `previous_response_id` that names no stored response of the project. */
export function previousNotFound(id: string): RequestRefused {
  const message = `Previous response with id ${quote(id)} not found. Name a stored response of this project, or send the whole history.`;
  return new RequestRefused(400, 'previous_response_not_found', message, 'previous_response_id');
}

function notFinished({ id }: Turn, param: Predecessor['param'] | undefined): RequestRefused {
  const message = `${id.replace(/^turn_/, 'resp_')} is still running. Wait until it ends, then branch from it or answer its calls.`;
  return new RequestRefused(400, 'previous_response_not_finished', message, param ?? 'previous_response_id');
}
