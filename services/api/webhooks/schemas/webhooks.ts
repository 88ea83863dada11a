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
const TurnWebhook = webhookSchema('TurnWebhook', 'What became of a turn.', ofTurn, {
  type: z.enum(DEFAULT_EVENTS).describe('What happened.'),
  data: z
    .object({ id: TurnId, turn: Turn.optional() })
    .describe('The turn of the event; the whole of it with `include: ["turn"]`.'),
});

const ofRound = { type: 'round.completed', data: { ...ofTurn.data, round: exampleOf(Round) } };
const RoundWebhook = webhookSchema('RoundWebhook', 'A round of a turn was saved.', ofRound, {
  type: z.literal('round.completed'),
  data: z
    .object({ id: TurnId, round: Round, turn: Turn.optional() })
    .describe('The round as it was then: no call had its answer. The whole turn with `include: ["turn"]`.'),
});

const endpoint = { id: 'whe_01kagz8m4pfvbte2n5q7rys3wx' };
const disabled = {
  url: 'https://example.com/hooks/old',
  disabled_reason: 'The receiver answered 410: it wants no more events.',
};
const ofDisabled = { type: 'webhook_endpoint.disabled', data: { ...endpoint, ...disabled } };
const DisabledWebhook = webhookSchema(
  'DisabledWebhook',
  'Another webhook endpoint of the project was given up.',
  ofDisabled,
  {
    type: z.literal('webhook_endpoint.disabled'),
    data: z
      .object({
        id: WebhookEndpointId,
        url: z.string().describe('Where it is.'),
        disabled_reason: z.string().describe('Why it was given up, in a sentence.'),
      })
      .describe('The webhook endpoint.'),
  },
);

const ofResponse = { type: 'response.completed', data: { id: 'resp_01kagz8m4pfvbte2n5q7rys3wx' } };
const ResponseWebhook = z
  .object({
    id: EventId,
    object: z.literal('event'),
    created_at: z.int().describe('When it happened, in seconds since 1970.'),
    type: ResponseWebhookEvent.describe('What happened.'),
    data: z.object({ id: ResponseId }).describe('The response, to be retrieved.'),
  })
  .meta({
    id: 'ResponseWebhook',
    description: 'What became of a response that was created in the background, as OpenAI’s API tells it.',
    examples: [{ id: 'evt_01kagz8m4pfvbte2n5q7ryresp', object: 'event', created_at: 1_795_168_802, ...ofResponse }],
  });

const ofTest = { type: 'webhook.test', data: endpoint };
const TestWebhook = webhookSchema('TestWebhook', 'A test whether a webhook endpoint can be reached.', ofTest, {
  type: z.literal('webhook.test'),
  data: z.object({ id: WebhookEndpointId }).describe('The webhook endpoint.'),
});

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
  const head = { id: EventId, object: z.literal('event'), timestamp: Time.describe('When it happened.') };
  const shown = { id: 'evt_01kagz8m4pfvbte2n5q7rys3wx', object: 'event', timestamp: '2026-11-20T10:00:02.015Z' };
  return z.object({ ...head, ...fields }).meta({ id, description, examples: [{ ...shown, ...example }] });
}

/** Names the operation of a webhook: `onTurnCompleted` for `turn.completed`. */
function operationIdOf(type: string): string {
  return `on.${type}`.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

const headers = z.object({
  'webhook-id': EventId.describe('The id of the event; the same however often it is sent.'),
  'webhook-timestamp': z.string().describe('When this attempt was made, in seconds since 1970.'),
  'webhook-signature': z
    .string()
    .describe('`v1,` and the base64 of an HMAC-SHA256 of `id.timestamp.body`; while rotating several, with spaces.'),
});

/** What is posted to webhooks: one entry for each type of event. */
export const webhooks = Object.entries(webhookEvents).map(([type, schema]): Parameters<typeof createRoute>[0] => ({
  method: 'post',
  path: type,
  operationId: operationIdOf(type),
  tags: ['Webhooks'],
  summary: schema.meta()?.description ?? type,
  request: { headers, body: { required: true, content: json(schema) } },
  responses: {
    '2XX': { description: 'Received. Any other answer, or none in 15 s, is tried again, for three days.' },
    410: { description: 'No more of these: nothing is tried again.' },
  },
}));
