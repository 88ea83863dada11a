import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { findWebhookEndpoint } from '#core/checkpoint/webhooks/endpoints.ts';
import type { RequestRefused } from '#core/failure.ts';
import { isId } from '#core/id.ts';
import type { WebhookEndpoint } from '#core/turn/request/webhook-endpoint.ts';
import type { Conversation, Turn } from '#core/turn/turn.ts';
import { refused } from '../schemas/errors/error-codes.ts';

/** Finds a turn of the project. An impossible id, an unknown id and an id of another project are the same 404. */
export async function findOwnTurn(db: Db, project: string, id: string): Promise<Turn> {
  const turn = isId('turn', id) ? await findTurn(db, project, id) : undefined;
  if (turn) return turn;
  throw turnNotFound();
}

/** Returns the refusal of a turn that does not exist, or no longer exists. */
export function turnNotFound(): RequestRefused {
  return refused('turn_not_found');
}

/** Finds a conversation of the project. All other ids are the same 404. */
export async function findOwnConversation(db: Db, project: string, id: string): Promise<Conversation> {
  const conversation = isId('conv', id) ? await findConversation(db, project, id) : undefined;
  if (conversation) return conversation;
  throw conversationNotFound();
}

/** Returns the refusal of a conversation that does not exist, or no longer exists. */
export function conversationNotFound(): RequestRefused {
  return refused('conversation_not_found');
}

/** Finds a webhook endpoint of the project with its current secrets. All other ids are the same 404. */
export async function findOwnWebhookEndpoint(
  db: Db,
  project: string,
  id: string,
): Promise<WebhookEndpoint & { secrets: string[] }> {
  const endpoint = isId('whe', id) ? await findWebhookEndpoint(db, project, id) : undefined;
  if (endpoint) return endpoint;
  throw refused('webhook_endpoint_not_found');
}
