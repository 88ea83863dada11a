// Starts a turn and shows its text while it streams, over any number of connections:
//   npx node examples/client.ts "Hello"
// In your own project, import '@pawl-turns/client' (packages/client/README.md).
import { connectPawl } from 'pawl/client';

const pawl = connectPawl({ baseUrl: process.env.PAWL_URL, apiKey: process.env.PAWL_API_KEY });
const turn = await pawl.turns.start({ model: 'sim/demo', input: process.argv[2] ?? 'Say hello to Ada.' });

for await (const event of turn.events()) {
  if (event.type === 'round.started') console.log(`\nround ${event.round}, attempt ${event.attempt}`);
  if (event.type === 'output_text.delta') process.stdout.write(event.delta);
}

const { status, error } = await turn.result();
console.log(`\n[${status}] ${error?.message ?? turn.id}`);
