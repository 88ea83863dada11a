import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openWire, wires } from './open-wire.ts';

const tools = [{ type: 'mcp', server_label: 'pawl' } as const];
const calls = [
  { id: 'call_0', name: 'weather_lookup', arguments: ['{"city":"Rome"}'] },
  { id: 'call_1', name: 'note_visit', arguments: ['{}'] },
];
const results = [
  'tool: {"city":"Rome","temp":22,"condition":"sunny"}',
  expect.stringMatching(/^tool: Tool execution failed \(invalid_arguments\)/),
];

test.for(wires)('Pawl runs labelled calls, and resends their results, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  const { says, create, heard } = opened;
  const received = () => heard().said.filter((said) => said.startsWith('tool: '));

  says({ text: ['Let me see.'], calls }, { text: ['Sunny.'] });
  const asked = await create({ input: 'Rome?', tools, tool_choice: { type: 'mcp', server_label: 'pawl' } });
  expect(asked.output).toMatchObject([
    { type: 'message', content: [{ text: 'Let me see.' }] },
    { type: 'mcp_call', status: 'completed', server_label: 'pawl', name: 'weather_lookup' },
    { type: 'mcp_call', status: 'failed', server_label: 'pawl', name: 'note_visit', output: null },
    { type: 'message', content: [{ text: 'Sunny.' }] },
  ]);
  expect(received()).toEqual(results);

  await create({ input: 'And now?', previous_response_id: asked.id, tools });
  const chained = heard().said;
  expect(received()).toEqual(results);
  const items = asked.output as OpenAI.Responses.ResponseInputItem[];
  const question = [{ role: 'user' as const, content: 'Rome?' }];
  await create({ input: [...question, ...items, { role: 'user', content: 'And now?' }], tools, store: false });
  expect(heard().said).toEqual(chained);
});
