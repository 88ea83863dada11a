import type { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { DEFAULT_EVENTS, ResponseWebhookEvent } from '#core/turn/request/webhook.ts';
import type { EndpointEvent } from '#core/turn/request/webhook-endpoint.ts';
import { json } from '../../http/router.ts';
import { ResponseId } from '../../openai/responses/schemas/response-object.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { EventId, TurnId, WebhookEndpointId } from '../../schemas/fields/id.ts';
import { Time } from '../../schemas/fields/time.ts';
import { Round } from '../../turns/schemas/round.ts';
import { Turn } from '../../turns/schemas/turn.ts';

const ofTurn = { type: 'turn.completed', data: { id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' } };
const TurnWebhook = webhookSchema('TurnWebhook', 'The status of a turn has changed.', ofTurn, {
  type: z.enum(DEFAULT_EVENTS).describe('The type of the event.'),
  data: z
    .object({ id: TurnId, turn: Turn.optional() })
    .describe('The turn of the event. With `include: ["turn"]`: the whole turn.'),
});

const ofRound = { type: 'round.completed', data: { ...ofTurn.data, round: exampleOf(Round) } };
const RoundWebhook = webhookSchema('RoundWebhook', 'A round of a turn was saved.', ofRound, {
  type: z.literal('round.completed'),
  data: z
    .object({ id: TurnId, round: Round, turn: Turn.optional() })
    .describe(
      'The round as it was saved, before its calls had answers. With `include: ["turn"]`: also the whole turn.',
    ),
});

const endpoint = { id: 'whe_01kagz8m4pfvbte2n5q7rys3wx' };
const disabled = {
  url: 'https://example.com/hooks/old',
  disabled_reason: 'The receiver answered 410: it accepts no more events.',
};
const ofDisabled = { type: 'webhook_endpoint.disabled', data: { ...endpoint, ...disabled } };
const DisabledWebhook = webhookSchema(
  'DisabledWebhook',
  'Pawl disabled another webhook endpoint of the project.',
  ofDisabled,
  {
    type: z.literal('webhook_endpoint.disabled'),
    data: z
      .object({
        id: WebhookEndpointId,
        url: z.string().describe('The URL of the endpoint.'),
        disabled_reason: z.string().describe('A sentence about the reason.'),
      })
      .describe('The webhook endpoint.'),
  },
);

const ofResponse = { type: 'response.completed', data: { id: 'resp_01kagz8m4pfvbte2n5q7rys3wx' } };
const ResponseWebhook = z
  .object({
    id: EventId,
    object: z.literal('event'),
    created_at: z.int().describe('The time of the event, in Unix seconds.'),
    type: ResponseWebhookEvent.describe('The type of the event.'),
    data: z.object({ id: ResponseId }).describe('The response. Retrieve it by its id.'),
  })
  .meta({
    id: 'ResponseWebhook',
    description: 'The end of a response that was created in the background, in the shape of OpenAI’s API.',
    examples: [{ id: 'evt_01kagz8m4pfvbte2n5q7ryresp', object: 'event', created_at: 1_795_168_802, ...ofResponse }],
  });

const ofTest = { type: 'webhook.test', data: endpoint };
const TestWebhook = webhookSchema(
  'TestWebhook',
  'A test event, which shows whether a webhook endpoint is reachable.',
  ofTest,
  {
    type: z.literal('webhook.test'),
    data: z.object({ id: WebhookEndpointId }).describe('The webhook endpoint.'),
  },
);

/** The body of each webhook, by the type of its event. */
export const webhookEvents = {
  'turn.completed': TurnWebhook,
  'turn.incomplete': TurnWebhook,
  'turn.failed': TurnWebhook,
  'turn.cancelled': TurnWebhook,
  'turn.requires_action': TurnWebhook,
  'round.completed': RoundWebhook,
  'response.completed': ResponseWebhook,
  'response.incomplete': ResponseWebhook,
  'response.failed': ResponseWebhook,
  'response.cancelled': ResponseWebhook,
  'webhook_endpoint.disabled': DisabledWebhook,
  'webhook.test': TestWebhook,
} satisfies Record<EndpointEvent | 'webhook.test', z.ZodType>;

function webhookSchema<Fields extends z.ZodRawShape>(
  id: string,
  description: string,
  example: Record<keyof Fields, unknown>,
  fields: Fields,
) {
  const head = { id: EventId, object: z.literal('event'), timestamp: Time.describe('The time of the event.') };
  const shown = { id: 'evt_01kagz8m4pfvbte2n5q7rys3wx', object: 'event', timestamp: '2026-11-20T10:00:02.015Z' };
  return z.object({ ...head, ...fields }).meta({ id, description, examples: [{ ...shown, ...example }] });
}

/** Names the operation of a webhook: `onTurnCompleted` for `turn.completed`. */
function operationIdOf(type: string): string {
  return `on.${type}`.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

const headers = z.object({
  'webhook-id': EventId.describe('The id of the event. It is the same for every attempt.'),
  'webhook-timestamp': z.string().describe('The time of this attempt, in Unix seconds.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of an HMAC-SHA256 of `id.timestamp.body`. During a rotation: several signatures, separated by spaces.',
    ),
});

/** The requests that Pawl posts to webhooks: an entry for each type of event. */
export const webhooks = Object.entries(webhookEvents).map(([type, schema]): Parameters<typeof createRoute>[0] => ({
  method: 'post',
  path: type,
  operationId: operationIdOf(type),
  tags: ['Webhooks'],
  summary: schema.meta()?.description ?? type,
  request: { headers, body: { required: true, content: json(schema) } },
  responses: {
    '2XX': { description: 'Received. After any other answer, or none within 15 s, Pawl tries again for three days.' },
    410: { description: 'The receiver accepts no more events, so Pawl does not try again.' },
  },
}));
