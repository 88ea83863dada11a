import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { answered, requestsOf } from '../approving.ts';
import { openWire, wires } from './open-wire.ts';

const isResult = (said: string) => said.startsWith('tool: ');

test.for(wires)('calls that are allowed, denied or left keep their place, on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  await using _ = await startBackgroundWorker(opened.harness);
  await using server = await openExternalServer(() => ({ status: 200, body: 'paid' }));
  const { says, create, heard } = opened;
  const tools = [httpTool('pay', server.url, { approval: 'always' })] as unknown as OpenAI.Responses.Tool[];

  const calls = ['Rome', 'Oslo', 'Bern'].map((city, index) => {
    return { id: `call_${index}`, name: 'pay', arguments: [JSON.stringify({ city })] };
  });
  says({ text: ['Let me pay.'], calls });
  const asked = await create({ input: 'Pay.', tools });
  const [rome, oslo] = requestsOf(asked);
  says({ text: ['Done.'] });
  const input = [answered(oslo!, false, 'Too far.'), answered(rome!)];
  const next = await create({ previous_response_id: asked.id, input });

  expect(next.output).toMatchObject([{ type: 'mcp_call', output: 'paid' }, { type: 'message' }]);
  const results = heard().said.filter(isResult);
  expect(results).toEqual([
    'tool: paid',
    expect.stringContaining('A person denied this call: Too far.'),
    expect.stringContaining('permission_denied'),
  ]);

  await create({ previous_response_id: next.id, input: 'And?' });
  expect(heard().said.filter(isResult)).toEqual(results);
  expect(heard().said.slice(-2)).toEqual(['assistant: Done.', 'user: And?']);
});
