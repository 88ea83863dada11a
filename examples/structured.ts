// Asks for JSON with a schema, and shows the repair of an invalid answer: npx node examples/structured.ts
// The first answer of the simulated model is invalid. Pawl reports the errors, and the second answer is valid. With a
// real model, omit the script.
import { connectPawl } from 'pawl/client';

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city', 'days'],
  additionalProperties: false,
};
const script = { answer: '{"city":"Lisbon","days":"three"}', repairs: [{ say: '{"city":"Lisbon","days":3}' }] };

const pawl = connectPawl({ baseUrl: process.env.PAWL_URL, apiKey: process.env.PAWL_API_KEY });
const turn = await pawl.turns.start({
  model: 'sim/demo',
  input: JSON.stringify({ sim: script }),
  output_schema: { name: 'trip', schema },
});

const { status, rounds, output_parsed, error } = await turn.result();
for (const { number, assistant_response } of rounds) {
  if (assistant_response !== null) console.log(`round ${number} did not match the schema: ${assistant_response}`);
}
console.log(`[${status}]`, error?.message ?? output_parsed);
