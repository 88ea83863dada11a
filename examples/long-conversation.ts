// Continues a conversation within 4,000 tokens. Requests stay short, and Pawl keeps the whole history:
//   npx node examples/long-conversation.ts
import { connectPawl } from 'pawl/client';

const pawl = connectPawl({ baseUrl: process.env.PAWL_URL, apiKey: process.env.PAWL_API_KEY });
const conversation = await pawl.conversations.create({
  model: 'sim/demo',
  context: { strategy: 'summarize', max_input_tokens: 4_000, keep_last_rounds: 1 },
});

// The simulated model answers with this text, and writes the summaries.
const input = JSON.stringify({ sim: { answer: 'One word after another. '.repeat(150) } });
for (let number = 1; number <= 8; number += 1) {
  const turn = await conversation.start({ input });
  const { rounds, compactions = [] } = await turn.result();
  const [made] = compactions;
  const shorter = made ? `, history shortened: ${made.before_tokens} tokens to ${made.after_tokens}` : '';
  console.log(`turn ${number}: ${rounds.at(-1)?.usage?.input_tokens} tokens in${shorter}`);
}
