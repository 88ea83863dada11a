// Falls back to a second model when the first rejects its key: npx node examples/fallback.ts
// Both models are simulated. With real models, omit the script and use names such as openai/gpt-4.1.
import { connectPawl } from 'pawl/client';

const script = { answer: 'The second model answers.', final: { fault: { kind: 'status', status: 401, times: 1 } } };

const pawl = connectPawl({ baseUrl: process.env.PAWL_URL, apiKey: process.env.PAWL_API_KEY });
const turn = await pawl.turns.start({
  model: 'sim/first',
  fallback_models: ['sim/second'],
  input: JSON.stringify({ sim: script }),
});

for await (const event of turn.events()) {
  if (event.type === 'model.changed')
    console.log(`${event.from} failed with ${event.error.code}, now asking ${event.to}`);
}
const { status, rounds, output } = await turn.result();
console.log(`[${status}] ${rounds.at(-1)?.model}: ${output}`);
