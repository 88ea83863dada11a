import { expect, test } from 'vitest';
import { orderRoles, type RoleOrder, type WireMessage } from '#core/llm/openai/order-roles.ts';

const system = (content: string): WireMessage => ({ role: 'system', content });
const user = (content: string): WireMessage => ({ role: 'user', content });
const said = (content: string, state: object = {}): WireMessage => ({ ...state, role: 'assistant', content });
const called: WireMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const result: WireMessage = { role: 'tool', tool_call_id: 'a', content: 'ok' };
const image = { type: 'image_url', image_url: { url: 'https://example.com/cat.jpg' } } as const;
const LATE = 'System message, not written by the user:\n';
const BRIDGE = said('(The tools have answered.)');

test('role order any keeps all messages, and other orders merge neighbours', () => {
  const messages = [system('One.'), system('Two.'), user('A'), user('B'), said('C')];

  expect(orderRoles(messages, 'any')).toEqual(messages);
  expect(orderRoles(messages, 'system-first')).toEqual([system('One.\n\nTwo.'), user('A\n\nB'), said('C')]);
});

test('texts and parts of the user are merged as parts, without blank texts', () => {
  const parts: WireMessage = { role: 'user', content: [image] };

  expect(orderRoles([user('A'), parts, user(' '), parts], 'system-first')).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'A' }, image, image] },
  ]);
});

test('assistant neighbours are merged unless server state would be lost', () => {
  const [one, two] = [said('A', { reasoning_content: '1' }), said('B', { reasoning_content: '2' })];

  expect(orderRoles([said('A'), said('B', { reasoning_content: '2' })], 'system-first')).toEqual([
    said('A\n\nB', { reasoning_content: '2' }),
  ]);
  expect(orderRoles([said('A'), called, result], 'system-first')).toEqual([{ ...called, content: 'A' }, result]);
  expect(orderRoles([one, two], 'system-first')).toEqual([one, two]);
  expect(orderRoles([user('Hi'), one, two, user('C')], 'alternate')).toEqual([
    ...[user('Hi'), one, user('Go on.'), two, user('C')],
  ]);
});

test.each<[RoleOrder, WireMessage[]]>([
  ['any', [system('S'), user('A'), said('B'), system('T'), user('C')]],
  ['system-first', [system('S'), user('A'), said('B'), user(`${LATE}T\n\nC`)]],
  ['alternate', [system('S'), user('A'), said('B'), user(`${LATE}T\n\nC`)]],
  ['user-only', [user('S\n\nA'), said('B'), user(`${LATE}T\n\nC`)]],
])('a later system message is sent in the form of role order %s', (order, sent) => {
  expect(orderRoles([system('S'), user('A'), said('B'), system('T'), user('C')], order)).toEqual(sent);
});

test('role order alternate puts an assistant message after tool results', () => {
  expect(orderRoles([user('A'), called, result, user('B')], 'alternate')).toEqual([
    ...[user('A'), called, result, BRIDGE, user('B')],
  ]);
  expect(orderRoles([user('A'), called, result, system('B')], 'alternate')).toEqual([
    ...[user('A'), called, result, BRIDGE, user(`${LATE}B`)],
  ]);
  expect(orderRoles([user('A'), called, result], 'alternate')).toEqual([user('A'), called, result]);
});

test('role order alternate begins and ends with the user', () => {
  expect(orderRoles([system('S'), said('A')], 'alternate')).toEqual([
    ...[system('S'), user('(The conversation begins here.)'), said('A'), user('Go on.')],
  ]);
});

test.each<RoleOrder>(['any', 'system-first', 'alternate', 'user-only'])(
  'role order %s sends a history without text as one user message',
  (order) => {
    expect(orderRoles([], order)).toEqual([user('(The conversation begins here.)')]);
  },
);

test('role order user-only sends a system prompt alone as user text', () => {
  expect(orderRoles([system('S')], 'user-only')).toEqual([user('S\n\n(The conversation begins here.)')]);
});
