import { styleText } from 'node:util';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { openWebhookReceiver } from '#test/harness/servers/webhook-receiver.ts';
import type { DemoRun } from '../run-to-end.ts';
import { startPawl } from '../start-pawl.ts';
import { brokenPromises, count } from './count.ts';
import { postTurn } from './post-turn.ts';
import { readSecrets } from './read-secrets.ts';
import { showCounts } from './show-counts.ts';
import { showRounds } from './show-rounds.ts';
import { travelRequest } from './travel-request.ts';
import { watchTurn } from './watch-turn.ts';

const WEBHOOK_TIMEOUT_MS = 15_000;

/** Shows a turn with tools, and kills its worker in the middle. */
export async function showTurn(screen: Screen, run: DemoRun): Promise<void> {
  const receiver = await openWebhookReceiver();
  run.atTheEnd(() => receiver[Symbol.asyncDispose]());
  const pawl = await startPawl(screen, run, () => ({ PAWL_EGRESS_ALLOW: `127.0.0.1:${receiver.port}` }));
  receiver.trust(await readSecrets(pawl.url));

  const turn = await postTurn(pawl.url, travelRequest(receiver.url), screen);
  const seen = await watchTurn(turn, pawl, { screen, run });
  const webhook = await inTime(receiver.accepted);
  screen.say(`webhook received: ${webhook.type}, its signature is valid`);

  const counts = count({ seen, steps: pawl.steps, journal: pawl.journal, webhooks: receiver.received });
  screen.title('The answer');
  screen.stream(seen.turn.output ?? '');
  showRounds(seen.turn, pawl.steps, screen);
  showCounts(counts, screen);

  const broken = brokenPromises(seen.turn, counts);
  if (broken.length > 0) throw new Failure('not_as_promised', broken.join('\n  '));
  screen.gap();
  screen.say(styleText('green', 'All as promised. The demo now stops everything that it started.'));
}

async function inTime<Result>(accepted: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const sentence = `No webhook with a valid signature arrived within ${WEBHOOK_TIMEOUT_MS / 1000} s.`;
  const timer = setTimeout(() => late.reject(new Failure('webhook_missing', sentence)), WEBHOOK_TIMEOUT_MS);
  return Promise.race([accepted, late.promise]).finally(() => clearTimeout(timer));
}
