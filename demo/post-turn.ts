import { styleText } from 'node:util';
import { Failure } from '#core/failure.ts';
import type { Screen } from './screen.ts';
import { shortForm, type TravelRequest } from './travel-request.ts';
import { Turn } from './turn-event.ts';

/** Posts a turn, showing how to do the same by hand; answers where it can be read. */
export async function postTurn(apiUrl: string, request: TravelRequest, screen: Screen): Promise<string> {
  const url = `${apiUrl}/v1/turns`;
  showCommand(url, request, screen);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  const answer: unknown = await response.json();
  if (response.status !== 202)
    throw new Failure('turn_refused', `The API answered ${response.status}: ${JSON.stringify(answer)}`);

  const { id, status } = Turn.parse(answer);
  screen.say(`202 Accepted · ${id} is ${status}`);
  return `${url}/${id}`;
}

function showCommand(url: string, request: TravelRequest, screen: Screen): void {
  screen.gap();
  screen.say(`${styleText('bold', 'the request')} · what the model does is scripted in its input`);
  screen.add(`$ curl ${url} \\`);
  screen.add(`    -H 'content-type: application/json' -d '{`);
  for (const line of shortForm(request)) screen.add(`      ${line}`);
  screen.add(`    }'`);
}
