import { styleText } from 'node:util';
import { openScreen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { brokenPromises } from './broken-promises.ts';
import { count } from './count.ts';
import { postTurn } from './post-turn.ts';
import { readSecrets } from './read-secrets.ts';
import { runToTheEnd } from './run-to-the-end.ts';
import { showCounts } from './show-counts.ts';
import { showRounds } from './show-rounds.ts';
import { startPawl } from './start-pawl.ts';
import { startReceiver } from './start-receiver.ts';
import { travelRequest } from './travel-request.ts';
import { watchTurn } from './watch-turn.ts';

await runToTheEnd(async (stage) => {
  const screen = openScreen(process.stdout);
  screen.title('Pawl: one turn, two workers, and one of them is killed in the middle');
  screen.note('Model and travel agency are simulated, so no key is needed; the rest is real.');
  screen.gap();

  const receiver = await startReceiver(stage);
  const pawl = await startPawl(receiver.port, screen, stage);
  receiver.trust(await readSecrets(pawl.url));

  const turn = await postTurn(pawl.url, travelRequest(receiver.url), screen);
  const seen = await watchTurn(turn, pawl, { screen, stage });
  const webhook = await receiver.first();
  screen.say(`webhook received: ${webhook.type}, its signature is right`);

  const counts = count({ seen, steps: pawl.steps, journal: pawl.journal, delivered: receiver.delivered });
  screen.title('The answer');
  screen.speak(seen.turn.output ?? '');
  showRounds(seen.turn, pawl.steps, screen);
  showCounts(counts, screen);

  const broken = brokenPromises(seen.turn, counts);
  if (broken.length > 0) throw new Failure('not_as_promised', broken.join('\n  '));
  screen.gap();
  screen.say(styleText('green', 'All as promised. Now everything that was started goes again.'));
});
