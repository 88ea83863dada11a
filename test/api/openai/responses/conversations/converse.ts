import type OpenAI from 'openai';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openaiClient } from '../openai-client.ts';

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'model'>;

/** Returns a client at the base of conversations, which starts and runs responses and reads the last request. */
export function conversing(harness: Harness) {
  const client = openaiClient(harness, '/openai/v1');
  const start = (body: Body) => client.responses.create({ model: 'test', background: true, ...body });
  return {
    client,
    conversations: client.conversations,
    start,
    respond: async (body: Body) => {
      const { id } = await start(body);
      await harness.workUntilIdle();
      return client.responses.retrieve(id);
    },
    lastSent: () => (harness.modelRequests.at(-1)!.body as { messages: { role: string; content: unknown }[] }).messages,
  };
}

type Client = OpenAI['conversations'];
type Given = OpenAI.Responses.ResponseInputItem;

export const says = (content: string): Given => ({ role: 'user', content });
export const call = (call_id: string): Given => ({ type: 'function_call', call_id, name: 'get_time', arguments: '{}' });
export const output = (call_id: string, text = 'Noon'): Given => ({
  type: 'function_call_output',
  call_id,
  output: text,
});
export const getTime = {
  ...{ type: 'function' as const, name: 'get_time', description: 'Tells the time in a city', strict: null },
  parameters: { type: 'object', properties: {} },
};
export const asking = scripted({
  rounds: [{ say: 'Let me look.', tools: [{ name: 'get_time', arguments: {}, id: 'call_t' }] }],
  answer: 'It is noon.',
});

/** Returns the words of each item, in the order of the list. */
export async function listTexts(conversations: Client, id: string, order: 'asc' | 'desc' = 'asc'): Promise<string[]> {
  const { data } = await conversations.items.list(id, { order, limit: 100 });
  return data.map(wordsOf);
}

export function wordsOf(item: OpenAI.Conversations.ConversationItem): string {
  if (item.type === 'function_call') return `call ${item.call_id}`;
  if (item.type === 'function_call_output') return `output ${item.call_id}`;
  const [part] = item.type === 'message' ? item.content : [];
  return part && 'text' in part ? part.text : item.type;
}

export async function itemOf(conversations: Client, id: string, words: string): Promise<string> {
  const { data } = await conversations.items.list(id, { limit: 100 });
  return data.find((item) => wordsOf(item) === words)!.id!;
}

export async function deleteItem(conversations: Client, id: string, words: string) {
  return conversations.items.delete(await itemOf(conversations, id, words), { conversation_id: id });
}

export async function conversationOf(harness: Harness, { id }: { id: string }): Promise<string> {
  return (await harness.findTurn(id.replace('resp_', 'turn_'))).conversation_id;
}
