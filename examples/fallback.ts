// The first model refuses its key, the second answers: npx node examples/fallback.ts
// Both are simulated. With real models leave out the script, and name them as in openai/gpt-4.1.
import { connectPawl } from 'pawl/client';

const script = { answer: 'The second one is here.', final: { fault: { kind: 'status', status: 401, times: 1 } } };

const pawl = connectPawl({ baseUrl: process.env.PAWL_URL, apiKey: process.env.PAWL_API_KEY });
const turn = await pawl.turns.start({
  model: 'sim/first',
  fallback_models: ['sim/second'],
  input: JSON.stringify({ sim: script }),
});

for await (const event of turn.events()) {
  if (event.type === 'model.changed')
    console.log(`${event.from} failed with ${event.error.code}: ${event.to} is asked`);
}
const { status, rounds, output } = await turn.result();
console.log(`[${status}] ${rounds.at(-1)?.model}: ${output}`);
