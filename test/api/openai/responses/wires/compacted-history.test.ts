import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openWire, wires } from './open-wire.ts';

type Input = OpenAI.Responses.ResponseInputItem[];

test.each(wires)('a compacted history with calls reaches a model over $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _worker = await startBackgroundWorker(opened.harness);
  const { client, create, says, heard } = opened;
  says({ text: ['Ada is in Rome.'] });
  const input: Input = [
    { role: 'user', content: 'I am Ada. Where am I?' },
    { type: 'function_call', call_id: 'call_0', name: 'locate', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_0', output: 'Rome' },
  ];

  const { output } = await client.responses.compact({ model: wire.model, input });
  const summarized = heard();
  await create({ input: [...(output as unknown as Input), { role: 'user', content: 'So?' }] });

  expect(summarized.said.at(-1)).toMatch(/^user: (.*\n)*Summarize this conversation\./);
  expect(summarized.body).toContain('Rome');
  const said = heard()
    .said.map((each) => each.replace(/^user: /, ''))
    .join('\n');
  expect(said).toContain('I am Ada. Where am I?');
  expect(said).toContain('Summary of the conversation so far, which stands in its place:\n\nAda is in Rome.');
  expect(said).toMatch(/So\?$/);
});
