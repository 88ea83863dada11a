import { type Api, ask } from './ask.ts';
import type { Conversation, ConversationHandle, Conversations, Turn } from './connect-pawl.ts';
import type { CompactMessage } from './conversation-resource.ts';
import { listAll } from './list-all.ts';
import { keyOf, startedTurn, startTurn } from './turns-of.ts';

const PATH = '/v1/conversations';

/** `/v1/conversations`. */
export function conversationsOf(api: Api): Conversations {
  return {
    create: async (request, options = {}) => {
      const created = { method: 'POST', path: PATH, body: request, headers: await keyOf(options) } as const;
      const { id, turn } = await ask<{ id: string; turn?: Turn }>(api, created, options);
      return { ...handleConversation(api, id), turn: turn ? startedTurn(api, turn) : null };
    },
    get: (id, options) => handleConversation(api, id).get(options),
    list: (options = {}) => listAll<Conversation>(api, { path: PATH }, options),
    attach: (id) => handleConversation(api, id),
  };
}

function handleConversation(api: Api, id: string): ConversationHandle {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  return {
    id,
    get: (options) => ask(api, { path }, options),
    start: (request, options) => startTurn(api, { path: `${path}/turns`, request }, options),
    messages: (options = {}) => allOf(listAll<CompactMessage>(api, { path: `${path}/messages` }, options)),
    // Not safe to repeat: where the answer was lost, the conversation is not there any more.
    delete: (options) => ask(api, { method: 'DELETE', path }, { ...options, patienceMs: 0 }),
  };
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
