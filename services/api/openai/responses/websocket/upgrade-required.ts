import { RequestRefused } from '#core/failure.ts';
import type { ApiContext } from '../../../context.ts';
import { routesOf } from '../../../http/router.ts';
import { makeOpenaiRouter, serve } from '../../openai-router.ts';
import { responseRefusals } from '../schemas/response-refusals.ts';

const route = routesOf('Responses', responseRefusals);

const upgrade = route('get', '/responses', 'connectResponses', {
  summary: 'Create responses over a WebSocket',
  description:
    'A WebSocket client sends messages of type `response.create` with the fields of `POST /v1/responses`, and receives each event as a message. A plain GET is refused: `GET /v1/turns` lists responses.',
  answers: { 101: { description: 'The connection is now a WebSocket.' } },
  refusals: ['upgrade_required'],
});

/** Answers 426 to a GET that is not a WebSocket handshake. */
export function upgradeRequiredRoutes(_: ApiContext) {
  const refuse = serve(upgrade, (c) => {
    c.header('Upgrade', 'websocket');
    c.header('Connection', 'Upgrade');
    c.header('Sec-WebSocket-Version', '13');
    const message =
      'This path accepts WebSockets only. Open a WebSocket (version 13), or list responses with GET /v1/turns.';
    throw new RequestRefused(426, 'upgrade_required', message);
  });
  return makeOpenaiRouter(undefined, [refuse]);
}
