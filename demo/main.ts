import { openScreen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { runToEnd } from './run-to-end.ts';

// An act is loaded after the first lines are on the screen: its packages take a while to load.
const acts = new Map([
  [
    'turn',
    {
      title: 'Pawl: one turn, two workers, and one of them is killed in the middle',
      note: 'Model and travel agency are simulated, so no key is needed; the rest is real.',
      load: async () => (await import('./turn/show-turn.ts')).showTurn,
    },
  ],
  [
    'responses',
    {
      title: 'Pawl: OpenAI’s Responses API, and everything is killed in the middle',
      note: 'The client is the package openai as it is. The model is simulated.',
      load: async () => (await import('./responses/show-responses.ts')).showResponses,
    },
  ],
]);

await runToEnd(async (run) => {
  const [name = 'turn'] = process.argv.slice(2);
  const act = acts.get(name);
  if (!act) throw new Failure('unknown_act', `There is no act ${name}: npm run demo, or npm run demo -- responses.`);
  const screen = openScreen(process.stdout);
  screen.title(act.title);
  screen.note(act.note);
  screen.gap();
  screen.say('starting PostgreSQL, an API and two workers …');
  const show = await act.load();
  await show(screen, run);
});
