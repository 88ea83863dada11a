import { styleText } from 'node:util';
import { connectPawl, type TurnHandle } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { shortForm, type TravelRequest } from './travel-request.ts';

/** Starts a turn, and shows the command that does the same. */
export async function postTurn(apiUrl: string, request: TravelRequest, screen: Screen): Promise<TurnHandle> {
  showCommand(`${apiUrl}/v1/turns`, request, screen);
  const turn = await connectPawl({ baseUrl: apiUrl }).turns.start(request);
  screen.say(`202 Accepted · ${turn.id} is queued`);
  return turn;
}

function showCommand(url: string, request: TravelRequest, screen: Screen): void {
  screen.gap();
  screen.say(`${styleText('bold', 'the request')} · its input scripts the model`);
  screen.add(`$ curl ${url} \\`);
  screen.add(`    -H 'content-type: application/json' -d '{`);
  for (const line of shortForm(request)) screen.add(`      ${line}`);
  screen.add(`    }'`);
}
