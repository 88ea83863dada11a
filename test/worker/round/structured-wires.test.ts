import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { openWire, wires } from '#test/api/openai/responses/wires/open-wire.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const question = { input: 'Where to, and for how long?', output_schema: { name: 'trip', schema } };
const broken = '{"city":"Lisbon","days":0}';
const fits = '{"city":"Lisbon","days":3}';

/** The fields of a request on each wire that hold the reply to the schema. */
const asked: Record<string, object> = {
  openai: { response_format: { type: 'json_schema', json_schema: { name: 'trip', strict: true, schema } } },
  'openai-responses': { text: { format: { type: 'json_schema', name: 'trip', strict: true, schema } } },
  anthropic: {
    output_config: {
      format: { type: 'json_schema', schema: { properties: { city: { type: 'string' }, days: { type: 'integer' } } } },
    },
  },
  gemini: {
    generationConfig: { responseMimeType: 'application/json', responseJsonSchema: { required: ['city', 'days'] } },
  },
};

test.for(wires)('the same structured question is answered and repaired on the wire of $name', async (wire) => {
  await using opened = await openWire(wire);
  const { harness, says, heard } = opened;
  says({ text: [broken] }, { text: [fits] });

  const turn = await harness.runTurn({ model: wire.model, ...question });

  expect(turn).toMatchObject({ status: 'completed', output: fits, output_parsed: { city: 'Lisbon', days: 3 } });
  const { body, said } = heard();
  expect(JSON.parse(body)).toMatchObject(asked[wire.name]!);
  expect(said.at(-1)).toMatch(/^user: .*\n- \/days must be >= 1\n/s);
});

test.for(wires)('a model on the wire of $name with the schema in words answers too', async (wire) => {
  await using opened = await openWire(wire);
  const { harness, says, heard } = opened;
  says({ text: ['```json\n', fits, '\n```'] });
  const output_schema = { ...question.output_schema, mode: 'instructions' };
  const stop = wire.script.takesStop === false ? null : { stop: ['THE END'] };

  const { id } = await harness.runTurn({ ...question, model: wire.model, output_schema, ...stop });
  const { body: turn } = await harness.call<TurnResource>('GET', `/v1/turns/${id}`);

  expect(turn).toMatchObject({ status: 'completed', output_parsed: { city: 'Lisbon', days: 3 } });
  const { body } = heard();
  expect(body).not.toMatch(/response_format|output_config|responseJsonSchema/);
  if (stop) expect(body).toContain('THE END');
  expect(body).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
});
