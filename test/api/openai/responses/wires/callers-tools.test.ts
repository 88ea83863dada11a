import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openWire as openPlainWire, type Wire, wires } from './open-wire.ts';

type Item = OpenAI.Responses.ResponseInputItem;

const tools: OpenAI.Responses.Tool[] = [
  {
    ...{ type: 'function', name: 'locate', description: 'Finds a city', strict: null },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { type: 'custom', name: 'patch', description: 'Patches a file' },
];
const image = {
  type: 'input_image' as const,
  image_url: 'data:image/png;base64,iVBORw0KGgo=',
  detail: 'auto' as const,
};
const look: Item = {
  role: 'user',
  content: [
    { type: 'input_text', text: 'What is this?' },
    image,
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  ],
};

/** Opens a wire with a model that may call both tools. */
async function openWire(wire: Wire) {
  const opened = await openPlainWire(wire);
  const calls = [
    { id: 'call_0', name: 'locate', arguments: ['{"city":"Rome"}'] },
    { id: 'call_1', name: 'patch', arguments: ['{"input":"*** patch"}'] },
  ];
  return { ...opened, asks: () => opened.says({ text: ['Let me see.'], calls }) };
}

function outputsFor({ output }: OpenAI.Responses.Response, text: string): Item[] {
  const answers = output.flatMap((item): Item[] => {
    if (item.type === 'custom_tool_call') {
      return [{ type: 'custom_tool_call_output', call_id: item.call_id, output: `${text} patched` }];
    }
    if (item.type !== 'function_call') return [];
    return [{ type: 'function_call_output', call_id: item.call_id, output: [{ type: 'input_text', text }, image] }];
  });
  return answers.reverse();
}

const results = (text: string) => [expect.stringMatching(`^tool: ${text}`), `tool: ${text} patched`];
const isResult = (said: string) => said.startsWith('tool: ');

test.for(wires)('function and custom calls are answered, also in forks, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  const { asks, says, create, heard } = opened;

  asks();
  const asked = await create({ input: [look], tools });
  expect(asked.output).toMatchObject([
    { type: 'message', content: [{ text: 'Let me see.' }] },
    { type: 'function_call', name: 'locate', arguments: '{"city":"Rome"}' },
    { type: 'custom_tool_call', name: 'patch', input: '*** patch' },
  ]);
  expect(heard().body).toContain('iVBORw0KGgo=');
  expect(heard().body).toContain('JVBERi0=');

  says({ text: ['Done.'] });
  const previous_response_id = asked.id;
  const first = await create({ previous_response_id, input: outputsFor(asked, 'Left') });
  expect(first.output_text).toBe('Done.');
  expect(heard().said.filter(isResult)).toEqual(results('Left'));
  expect(heard().body.match(/iVBORw0KGgo=/g)).toHaveLength(2);

  const fork = await create({ previous_response_id, input: outputsFor(asked, 'Right') });
  expect(heard().said.filter(isResult)).toEqual(results('Right'));
  const next = await create({ previous_response_id: fork.id, input: 'And?' });
  await create({ previous_response_id: fork.id, input: 'Or?' });
  const said = heard().said;
  expect(said.filter(isResult)).toEqual(results('Right'));
  expect(said.slice(-2)).toEqual(['assistant: Done.', 'user: Or?']);
  await opened.client.responses.delete(asked.id);
  await opened.client.responses.delete(fork.id);
  await create({ previous_response_id: next.id, input: 'Still?' });
  const later = heard().said;
  expect(later.slice(-4)).toEqual(['assistant: Done.', 'user: And?', 'assistant: Done.', 'user: Still?']);
  expect(heard().said.filter(isResult)).toEqual(results('Right'));
});

test.for(wires)('clients that store no responses may send all items again, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  const { asks, says, create, heard } = opened;

  asks();
  const asked = await create({ input: [look], tools, store: false });
  says({ text: ['Done.'] });
  const items = [look, ...(asked.output as Item[]), ...outputsFor(asked, 'Here')];
  const done = await create({ input: items, store: false });
  expect(heard().said.filter(isResult)).toEqual(results('Here'));

  asks();
  const again = await create({ input: [...items, ...(done.output as Item[]), look], tools, store: false });
  says({ text: ['Done.'] });
  await create({
    input: [...items, ...(done.output as Item[]), look, ...(again.output as Item[]), ...outputsFor(again, 'There')],
    store: false,
  });
  expect(heard().said.filter(isResult)).toEqual([...results('Here'), ...results('There')]);
});

test.for(wires)('references replace messages and calls, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  const { asks, says, create, heard, client } = opened;

  asks();
  const asked = await create({ input: [look], tools });
  const [question] = (await client.responses.inputItems.list(asked.id)).data;
  const ids = [question!.id!, ...asked.output.map(({ id }) => id!)];
  const references = ids.map((id): Item => ({ type: 'item_reference', id }));
  says({ text: ['Done.'] });
  await create({ input: [...references, ...outputsFor(asked, 'Here')] });
  const alone = heard();
  await create({ input: [...references, ...outputsFor(asked, 'Here')], previous_response_id: asked.id });

  expect(heard().said).toEqual(alone.said);
  expect(alone.said.filter(isResult)).toEqual(results('Here'));
  expect(alone.body.match(/iVBORw0KGgo=/g)).toHaveLength(2);
});

test.for(wires)('a next turn of either API cancels calls without results, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  const { harness, asks, says, client, heard } = opened;
  const conversation = (await harness.call<{ id: string }>('POST', '/v1/conversations', { body: {} })).body.id;
  const background = { model: wire.model, background: true, conversation };

  asks();
  await client.responses.create({ ...background, input: [look], tools });
  const queued = await client.responses.create({ ...background, input: 'Meanwhile?', tools });
  await harness.workUntilIdle();
  expect((await client.responses.retrieve(queued.id)).output).toHaveLength(3);
  const cancelled = heard().said.filter(isResult);
  expect(cancelled).toEqual(Array(2).fill(expect.stringContaining('cancelled')));

  says({ text: ['Done.'] });
  const path = `/v1/conversations/${conversation}`;
  const { body: native } = await harness.call<TurnResource>('POST', `${path}/turns`, {
    body: { model: wire.model, input: 'And natively?' },
  });
  await harness.workUntilIdle();
  expect(heard().said.filter(isResult)).toEqual([...cancelled, ...cancelled]);
  expect((await harness.findTurn(native.id)).output).toBe('Done.');
  for (const format of ['openai', 'anthropic', 'gemini', 'compact']) {
    const { status, body } = await harness.call('GET', `${path}/messages?format=${format}`);
    expect({ format, status, hasImage: JSON.stringify(body).includes('/v1/blobs/') }).toEqual({
      ...{ format, status: 200, hasImage: true },
    });
  }
});

test.for(wires)('odd items of other clients reach the wire of $name in a valid form', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  const { says, create, heard, client } = opened;
  const call_id = 'Köln/1 \u{1F600}';
  const input = [
    { role: 'developer', content: 'Be brief.' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    { type: 'function_call', call_id, name: 'a b/c', arguments: 'no JSON' },
    { type: 'function_call', call_id: 'call_0', name: 'locate', arguments: '' },
    { role: 'system', content: 'Go on.' },
    { type: 'function_call_output', call_id: 'call_0', output: [] },
    { type: 'function_call_output', call_id, output: 'a\u0000b\ud800' },
    { type: 'mcp_call', id: 'mcp_1', server_label: 'docs', name: 'search', arguments: '{}', output: null, error: null },
    { type: 'custom_tool_call', call_id: 'call_0', name: 'patch', input: '' },
    { type: 'custom_tool_call_output', call_id: 'call_0', output: '' },
    { role: 'user', content: [{ type: 'input_text', text: '' }, image] },
    { role: 'user', content: 'a\u0000b\ud800' },
  ] as Item[];

  says({ text: ['Done.'] });
  const { id, output_text } = await create({ input });

  expect(output_text).toBe('Done.');
  expect(heard().said.filter(isResult)).toHaveLength(4);
  expect((await client.responses.inputItems.list(id)).data).toHaveLength(input.length);
  expect((await opened.harness.findTurn(id.replace('resp_', 'turn_'))).input).toHaveLength(input.length);
});
