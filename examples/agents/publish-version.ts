// Publishes a second version of an agent while a conversation uses it, and rolls it back with one request:
//   npx node examples/agents/publish-version.ts
// With a real model: PAWL_MODEL=openai/gpt-4.1 npx node examples/agents/publish-version.ts
// The example deletes its agent at the end, so you can run it as often as you like.
import { connectPawl } from 'pawl/client';

const { PAWL_URL, PAWL_API_KEY, PAWL_MODEL = 'sim/demo' } = process.env;
const NAME = 'support-example';

const pawl = connectPawl({ baseUrl: PAWL_URL, apiKey: PAWL_API_KEY });

await pawl.agents.create({ name: NAME, model: PAWL_MODEL, instructions: 'You help {{customer}}.' });
try {
  await pawl.agents.setLabel(NAME, 'production', { version: 1 });

  // The conversation names the label, so each turn gets the version that the label names at that time.
  const agent = `${NAME}@production`;
  const conversation = await pawl.conversations.create({ agent, variables: { customer: 'Ada' } });

  /** Asks a question, and shows the version and the instructions of the turn. */
  const ask = async (input: string) => {
    const turn = await conversation.start({ input });
    await turn.result();
    const { agent, config, status } = await turn.get({ include: 'config' });
    console.log(`[${status}] version ${agent?.version}: ${config.instructions}`);
  };

  await ask('Where is my parcel?');

  const { version } = await pawl.agents.change(NAME, {
    instructions: 'You help {{customer}}. Answer in one sentence.',
  });
  console.log(`created version ${version}, which no turn uses yet`);
  await ask('And my invoice?');

  await pawl.agents.setLabel(NAME, 'production', { version });
  console.log(`production is version ${version}`);
  await ask('Can I pay later?');

  await pawl.agents.setLabel(NAME, 'production', { version: 1 });
  console.log('production is version 1 again');
  await ask('Until when?');
} finally {
  // The turns of a deleted agent stay readable.
  await pawl.agents.delete(NAME);
}
