import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { findWebhookEndpoint } from '#core/checkpoint/webhooks/endpoints.ts';
import type { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import type { WebhookEndpoint } from '#core/turn/request/webhook-endpoint.ts';
import type { Conversation, Turn } from '#core/turn/turn.ts';
import { refused } from '../schemas/errors/error-codes.ts';

/** The project's own turn; an id that cannot exist, an unknown one and another project's are the same 404. */
export async function findOwnTurn(db: Db, project: string, id: string): Promise<Turn> {
  const turn = isId('turn', id) ? await findTurn(db, project, id) : undefined;
  if (turn) return turn;
  throw turnNotFound();
}

/** The refusal of a turn that does not exist, or no longer does. */
export function turnNotFound(): RequestRefused {
  return refused('turn_not_found');
}

/** The project's own conversation, or the same 404 for all others. */
export async function findOwnConversation(db: Db, project: string, id: string): Promise<Conversation> {
  const conversation = isId('conv', id) ? await findConversation(db, project, id) : undefined;
  if (conversation) return conversation;
  throw conversationNotFound();
}

/** The refusal of a conversation that does not exist, or no longer does. */
export function conversationNotFound(): RequestRefused {
  return refused('conversation_not_found');
}

/** The project's own webhook endpoint with the secrets that sign for it, or the same 404 for all others. */
export async function findOwnWebhookEndpoint(
  db: Db,
  project: string,
  id: string,
): Promise<WebhookEndpoint & { secrets: string[] }> {
  const endpoint = isId('whe', id) ? await findWebhookEndpoint(db, project, id) : undefined;
  if (endpoint) return endpoint;
  throw refused('webhook_endpoint_not_found');
}
