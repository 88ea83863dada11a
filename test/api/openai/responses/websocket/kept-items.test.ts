import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { countBlobs, image, PDF, PNG, text } from '../../../blobs/samples.ts';
import { test } from '../../test.ts';
import { open, result, sentBy, tools as toolsOfWires, user as userItem, wires } from '../reasoning-wires.ts';
import { eraseUnstored } from './erase-unstored.ts';
import { openSocket, responseOf, type Socket } from './open-socket.ts';

// Kinds of items in the history of a kept response.

const city = { city: 'Rome' };
const ask = async (socket: Socket, fields: object) => responseOf(await socket.ask({ store: false, ...fields }));
const messages = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages;

test.for(wires)('a kept response keeps its reasoning state, with $name', async (wire) => {
  await using opened = await open();
  await using socket = await openSocket(opened.harness, { key: 'key-one' });
  const says = async (script: string[], fields: object) => {
    opened.server.answer({ body: script });
    return ask(socket, { model: wire.model, tools: toolsOfWires, ...fields });
  };

  const asked = await says(wire.asks, { input: [userItem('Where?')] });
  await eraseUnstored(opened.harness, socket);
  const done = await says(wire.says, { input: [result], previous_response_id: asked.id });
  const first = sentBy(opened);
  await eraseUnstored(opened.harness, socket);
  await says(wire.says, { input: [userItem('And?')], previous_response_id: done.id });

  expect(wire.signed.map((state) => first.includes(state))).toEqual([true, false]);
  expect(wire.signed.map((state) => sentBy(opened).includes(state))).toEqual([true, true]);
  expect(asked.output.map(({ type }) => type)).not.toContain('reasoning');
});

test('a kept response keeps calls that Pawl ran, and their results', async () => {
  await using server = await openExternalServer(() => ({ status: 200, body: '"sunny"' }));
  await using broken = await openExternalServer(() => ({ status: 404 }));
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const tools = [httpTool('look', server.url), httpTool('miss', broken.url), { type: 'mcp', server_label: 'pawl' }];
  const names = ['look', 'miss', 'weather_lookup'];
  const calls = names.map((name, index) => ({ name, id: `call_${index}`, arguments: city }));

  const ran = await ask(socket, { input: scripted({ rounds: [{ tools: calls as [] }], answer: 'Sunny.' }), tools });
  const before = messages(harness);
  await eraseUnstored(harness, socket);
  await ask(socket, { input: 'And?', previous_response_id: ran.id });

  expect(ran.output.map(({ type, status }) => [type, status])).toEqual([
    ...[
      ['mcp_call', 'completed'],
      ['mcp_call', 'failed'],
      ['mcp_call', 'completed'],
      ['message', 'completed'],
    ],
  ]);
  const followed = messages(harness);
  expect(followed.map(({ role, content }) => [role, content])).toEqual([
    ...before.map(({ role, content }) => [role, content]),
    ...[
      ['assistant', 'Sunny.'],
      ['user', 'And?'],
    ],
  ]);
  expect(followed[1]).toMatchObject({ tool_calls: names.map((name) => ({ function: { name } })) });
  expect([server.caught.length, broken.caught.length]).toEqual([1, 1]);
});

test('a kept response keeps a call of a custom tool', async ({ harness, socket }) => {
  const tools = [{ type: 'custom', name: 'patch' }];
  const calls = [{ name: 'patch', id: 'call_1', arguments: { input: 'a\nb' } }];
  const output = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Patched.' };

  const asked = await ask(socket, {
    input: scripted({ rounds: [{ tools: calls as [] }], answer: '{{results}}' }),
    tools,
  });
  await eraseUnstored(harness, socket);
  const done = await ask(socket, { input: [output], previous_response_id: asked.id, tools });

  expect(asked.output).toMatchObject([{ type: 'custom_tool_call', input: 'a\nb' }]);
  expect(done.output).toMatchObject([{ content: [{ text: 'Patched.' }] }]);
});

test('a kept response keeps images and files after their blobs are erased', async ({ harness, socket }) => {
  const pdf = { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` };

  const { id } = await ask(socket, { input: [{ role: 'user', content: [text('What is this?'), image(PNG), pdf] }] });
  await eraseUnstored(harness, socket);
  const { references } = await countBlobs(harness);
  const next = await ask(socket, { input: 'And?', previous_response_id: id });

  expect(references).toBe(0);
  expect(next.status).toBe('completed');
  expect(messages(harness)[0]?.content).toMatchObject([
    { text: 'What is this?' },
    { image_url: { url: `data:image/png;base64,${PNG}` } },
    { file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
  ]);
});

test('an approval of a kept response’s call runs the call once, or is refused', async () => {
  await using server = await openExternalServer(() => ({ status: 200, body: '"paid"' }));
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using socket = await openSocket(harness);
  const tools = [httpTool('pay', server.url, { approval: 'always' })];
  const calls = [{ name: 'pay', id: 'call_pay', arguments: city }];
  const script = scripted({ rounds: [{ tools: calls as [] }], answer: 'Paid.' });
  const asked = await ask(socket, { input: script, tools });
  const request = asked.output.find(({ type }) => type === 'mcp_approval_request');
  const allowed = { type: 'mcp_approval_response', approval_request_id: request?.id, approve: true };

  const follow = { input: [allowed], previous_response_id: asked.id, tools, store: false };
  const [once, again] = [(await socket.ask(follow)).at(-1), (await socket.ask(follow)).at(-1)];

  expect(again).toMatchObject({ type: 'error', status: 400 });
  if (once?.type === 'error') expect(once.error).toMatchObject({ code: 'item_not_found' });
  else expect(responseOf([once!]).output).toMatchObject([{ type: 'mcp_call', status: 'completed' }, {}]);
  expect(server.caught).toHaveLength(once?.type === 'error' ? 0 : 1);
});

test('a reference to an item of the previous kept response is dropped', async ({ harness, socket }) => {
  const { id, output } = await ask(socket, { input: scripted({ answer: 'Hello.' }) });
  const input = [
    { type: 'item_reference', id: output[0]?.id },
    { role: 'user', content: 'And?' },
  ];

  await ask(socket, { input, previous_response_id: id });

  expect(messages(harness)).toMatchObject([{ role: 'user' }, { content: 'Hello.' }, { content: 'And?' }]);
});

test('a system message within a kept response stays in place', async ({ harness, socket }) => {
  const input = [
    { role: 'user', content: 'I am Ada.' },
    { role: 'developer', content: 'Answer in French.' },
    { role: 'user', content: scripted({ answer: 'Oui.' }) },
  ];

  const { id } = await ask(socket, { input, instructions: 'Be brief.' });
  const before = messages(harness).slice(1);
  await eraseUnstored(harness, socket);
  await ask(socket, { input: 'And?', previous_response_id: id });

  expect(messages(harness)).toEqual([
    ...before,
    ...[
      { role: 'assistant', content: 'Oui.' },
      { role: 'user', content: 'And?' },
    ],
  ]);
});
