import type { CompactMessage } from './generated.ts';
import { listAll, searchQuery } from './list-all.ts';
import type { Conversation, ConversationHandle, Conversations, Turn } from './pawl.ts';
import { type Api, createOnce, requestJson } from './request-json.ts';
import { startedTurn, startTurn } from './turns.ts';

const PATH = '/v1/conversations';

export function conversationsOf(api: Api): Conversations {
  return {
    create: async (request, options) => {
      const { id, turn } = await createOnce<{ id: string; turn?: Turn }>(api, { path: PATH, body: request }, options);
      return { ...handleConversation(api, id), turn: turn ? startedTurn(api, turn) : null };
    },
    get: (id, options) => handleConversation(api, id).get(options),
    list: (filter = {}) => {
      const { query, options } = searchQuery(filter);
      return listAll<Conversation>(api, { path: PATH, query }, options);
    },
    update: (id, changes, options) => handleConversation(api, id).update(changes, options),
    attach: (id) => handleConversation(api, id),
  };
}

function handleConversation(api: Api, id: string): ConversationHandle {
  const path = `${PATH}/${encodeURIComponent(id)}`;
  return {
    id,
    get: (options) => requestJson(api, { path }, options),
    start: (request, options) => startTurn(api, { path: `${path}/turns`, request }, options),
    // Safe to repeat: the same fields get the same values.
    update: (changes, options) => requestJson(api, { method: 'PATCH', path, body: changes }, options),
    messages: (options = {}) => allOf(listAll<CompactMessage>(api, { path: `${path}/messages` }, options)),
    // Not safe to repeat: if the answer was lost, the conversation is already deleted.
    delete: (options) => requestJson(api, { method: 'DELETE', path }, { ...options, patienceMs: 0 }),
  };
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
