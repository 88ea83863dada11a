import { expect } from 'vitest';
import { test } from '#test/harness/test.ts';

test('a turn with a recursive output schema is completed with an object', async ({ harness }) => {
  const child = { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] };
  const node = closed({ name: { type: 'string' }, child });
  const schema = { ...closed({ root: { $ref: '#/$defs/node' } }), $defs: { node } };
  const turn = await harness.runTurn({ input: 'Draw a tree.', output_schema: { name: 'tree', schema } });

  const { status, output } = await harness.findTurn(turn.id);
  expect(status).toBe('completed');
  expect(JSON.parse(output ?? '')).toEqual({ root: { name: 'name', child: null } });
});

function closed(properties: object): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
