import { openScreen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { runToEnd } from './run-to-end.ts';

// Load an act after the first output, since its packages take a while to load.
const acts = new Map([
  [
    'turn',
    {
      title: 'Pawl: one turn, two workers, and one worker is killed in the middle',
      note: 'Model and travel agency are simulated and need no key. The rest is real.',
      load: async () => (await import('./turn/show-turn.ts')).showTurn,
    },
  ],
  [
    'responses',
    {
      title: 'Pawl: OpenAI’s Responses API, and everything is killed in the middle',
      note: 'The client is the unmodified package openai. The model is simulated.',
      load: async () => (await import('./responses/show-responses.ts')).showResponses,
    },
  ],
  [
    'batch',
    {
      title: 'Pawl: 20 turns by batch at half price, and a worker is killed',
      note: 'The provider with its batch API is simulated. This takes two minutes.',
      load: async () => (await import('./batch/show-batch.ts')).showBatch,
    },
  ],
]);

const HOW = 'Run npm run demo with -- turn, -- responses or -- batch.';

await runToEnd(async (run) => {
  const [name = 'turn'] = process.argv.slice(2);
  const act = acts.get(name);
  if (!act) throw new Failure('unknown_act', `Act ${name} not found. ${HOW}`);
  const screen = openScreen(process.stdout);
  screen.title(act.title);
  screen.note(act.note);
  screen.gap();
  screen.say('starting PostgreSQL, an API and two workers …');
  const show = await act.load();
  await show(screen, run);
});
