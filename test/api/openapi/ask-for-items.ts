import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { Ask } from './visitor.ts';

type Made = { id: string };
type List = { data: Made[] };

/** Requests a conversation of OpenAI's API with items of every kind, and deletes it. */
export async function keepItems(ask: Ask, harness: Harness): Promise<void> {
  const items = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'assistant', content: 'Hello.' },
    { type: 'function_call', call_id: 'call_0', name: 'locate_user', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_0', output: 'Here.' },
    { type: 'mcp_call', server_label: 'maps', name: 'find', arguments: '{}', output: 'There.' },
  ];
  const { id } = await ask<Made>('POST', '/openai/v1/conversations', { body: { items, metadata: { order: '17' } } });
  const locate = { type: 'function', name: 'locate_user', description: 'Asks the device where the user is' };
  const input = scripted({
    rounds: [{ say: 'Where?', tools: [{ name: 'locate_user', arguments: {}, id: 'call_1' }] }],
  });
  await ask('POST', '/openai/v1/responses', {
    body: { model: 'openai/test', background: true, conversation: id, input, tools: [locate] },
  });
  await harness.workUntilIdle();

  const place = `/openai/v1/conversations/${id}`;
  await ask('GET', place);
  await ask('POST', place, { body: { metadata: null } });
  await ask('POST', `${place}/items`, { body: { items: [{ role: 'user', content: 'Wait.' }] } });
  const { data } = await ask<List>('GET', `${place}/items?order=asc&include[]=file_search_call.results`);
  for (const item of data) await ask('GET', `${place}/items/${item.id}`);
  for (const path of [`${place}/items/${data[0]!.id}`, place]) await ask('DELETE', path);
}

/** Requests conversations and items, each with a different reason to be refused. */
export async function askForItemsWrongly(ask: Ask): Promise<void> {
  const [all, none] = ['/openai/v1/conversations', '/openai/v1/conversations/conv_01kagz8m4pfvbte2n5q7rys3wx'];
  const { id } = await ask<Made>('POST', all, { body: {} });
  const user = { role: 'user', content: 'Hi' };
  const refused = [
    [{ type: 'computer_call' }],
    [{ role: 'user', content: [{ type: 'input_audio' }] }],
    [{ role: 'user' }],
    [{ type: 'item_reference', id: 'msg_none' }],
    [{ type: 'function_call_output', call_id: 'x', output: 'y' }],
    Array(21).fill(user),
  ];
  for (const items of refused) {
    for (const path of [all, `${all}/${id}/items`]) await ask('POST', path, { body: { items } });
  }
  for (const path of [all, `${all}/${id}`, `${all}/${id}/items`]) {
    await ask('POST', path, { body: { itmes: [user] } });
    await ask('POST', path, { body: '{' });
  }
  for (const key of ['once', 'a b']) {
    const headers = { 'idempotency-key': key };
    for (const metadata of [{ a: '1' }, { a: '2' }]) await ask('POST', all, { body: { metadata }, headers });
  }
  const item = `${all}/${id}/items/msg_01kagz8m4pfvbte2n5q7rys3wx_i0`;
  for (const path of [none, `${none}/items`, item, `${all}/${id}/items?after=x`]) await ask('GET', path);
  for (const path of [none, item]) await ask('DELETE', path);
  await ask('POST', none, { body: { metadata: {} } });
  await ask('POST', `${none}/items`, { body: { items: [user] } });
}
