import { createConversation } from '#core/checkpoint/conversations.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { addItems } from '#core/checkpoint/turns/add-items.ts';
import { lockConversation } from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId, newIdBeside } from '#core/id.ts';
import { checkInput } from '#core/turn/history/check-input.ts';
import type { Created } from '../../../../start/creation.ts';
import { keepTaken } from '../../../../start/take-parts.ts';
import { conversationNotFound } from '../../../http/find-own.ts';
import { checkInputAgainst, findConversationEnd } from '../predecessor.ts';
import type { PlacedItem } from '../request/read-input.ts';
import { type ResolvedItem, resolveInput, takeResolved } from '../resolve-input.ts';

type Addition = { project: string; conversationId: string; items: PlacedItem[] };

/**
 * Adds items after the turns of a conversation. A result needs its call, in the conversation or among the items, but
 * a call may be answered later. The resource is the turn with the items, or the conversation if no item has content
 * for a model.
 */
export async function addToConversation(trx: Trx, addition: Addition): Promise<Created> {
  const conversation = await lockConversation(trx, addition.project, addition.conversationId);
  if (!conversation) throw conversationNotFound();
  return atOwnPath(add(trx, addition, conversation.lastPosition));
}

/** Records a conversation with its initial items. The resource is the conversation. */
export async function beginConversation(
  trx: Trx,
  { metadata, ...given }: Omit<Addition, 'conversationId'> & { metadata: Record<string, string> },
): Promise<Created> {
  const conversationId = newId('conv');
  await createConversation(trx, { id: conversationId, project: given.project, config: {}, metadata });
  await atOwnPath(add(trx, { ...given, conversationId }, 0));
  return { status: 200, resourceId: conversationId };
}

async function add(trx: Trx, addition: Addition, position: number): Promise<Created> {
  const { project, conversationId } = addition;
  refuseApprovals(addition.items);
  const given = await resolveInput(trx, addition.items, { project, last: { conversationId, position } });
  const items = given.map(({ item }) => item);
  const resolved = checkInput([], items, MAY_STAY_OPEN) ? await checkAgainstLine(trx, addition, given) : given;
  if (resolved.length === 0) return { status: 200, resourceId: conversationId };

  const id = newIdBeside('turn', conversationId);
  const taken = await takeResolved(trx, resolved, { project, wire: null });
  await addItems(trx, { id, project, conversationId, input: taken.input });
  await keepTaken(trx, { project, turnId: id, taken });
  return { status: 200, resourceId: id };
}

/** An approval is applied by the response that has it in its input. */
function refuseApprovals(items: PlacedItem[]): void {
  const approval = items.find(({ item }) => 'type' in item && item.type === 'mcp_approval_response');
  if (!approval) return;
  const message =
    'A conversation does not store approvals. Send the approval in the request that creates the next response.';
  throw new RequestRefused(400, 'unsupported_input_item', message, `input[${approval.at}].type`);
}

const MAY_STAY_OPEN = { mayStayOpen: true };

/** Checks the input against the conversation. Runs only if the input needs it, because a conversation may be long. */
async function checkAgainstLine(trx: Trx, { project, conversationId }: Addition, input: ResolvedItem[]) {
  const predecessor = await findConversationEnd(trx, project, conversationId);
  return checkInputAgainst(trx, { predecessor, input, project, ...MAY_STAY_OPEN });
}

/** Returns a refusal by the rules of inputs, with the path of the item here. */
async function atOwnPath(added: Promise<Created>): Promise<Created> {
  return added.catch((error: unknown) => {
    if (!(error instanceof RequestRefused)) throw error;
    const { status, code, message, param } = error;
    throw new RequestRefused(status, code, message, param?.replace(/^input\b/, 'items') ?? null);
  });
}
