import { Failure } from '#core/failure.ts';
import { showResponses } from './responses/show-responses.ts';
import { runToEnd } from './run-to-end.ts';
import { showTurn } from './turn/show-turn.ts';

const acts = new Map([
  ['turn', showTurn],
  ['responses', showResponses],
]);

await runToEnd(async (run) => {
  const [name = 'turn'] = process.argv.slice(2);
  const act = acts.get(name);
  if (!act) throw new Failure('unknown_act', `There is no act ${name}: npm run demo, or npm run demo -- responses.`);
  await act(run);
});
