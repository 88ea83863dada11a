import { z } from 'zod';
import type { EndpointEvent } from '#core/turn/webhook-endpoint.ts';
import { exampleOf } from './example-of.ts';
import { EventId, TurnId, WebhookEndpointId } from './id.ts';
import { Round } from './round.ts';
import { Time } from './time.ts';
import { Turn } from './turn.ts';

const ofTurn = { type: 'turn.completed', data: { id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' } };
const TurnWebhook = told('TurnWebhook', 'What became of a turn.', ofTurn, {
  type: z
    .enum(['turn.completed', 'turn.incomplete', 'turn.failed', 'turn.cancelled', 'turn.requires_action'])
    .describe('What happened.'),
  data: z
    .object({ id: TurnId, turn: Turn.optional() })
    .describe('The turn it tells of; the whole of it with `include: ["turn"]`.'),
});

const ofRound = { type: 'round.completed', data: { ...ofTurn.data, round: exampleOf(Round) } };
const RoundWebhook = told('RoundWebhook', 'A round of a turn was saved.', ofRound, {
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
const DisabledWebhook = told('DisabledWebhook', 'Another webhook endpoint of the project was given up.', ofDisabled, {
  type: z.literal('webhook_endpoint.disabled'),
  data: z
    .object({
      id: WebhookEndpointId,
      url: z.string().describe('Where it is.'),
      disabled_reason: z.string().describe('Why it was given up, in a sentence.'),
    })
    .describe('The webhook endpoint.'),
});

const ofTest = { type: 'webhook.test', data: endpoint };
const TestWebhook = told('TestWebhook', 'Somebody tries whether a webhook endpoint can be reached.', ofTest, {
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
  'webhook_endpoint.disabled': DisabledWebhook,
  'webhook.test': TestWebhook,
} satisfies Record<EndpointEvent | 'webhook.test', z.ZodType>;

function told<Fields extends z.ZodRawShape>(
  id: string,
  description: string,
  example: Record<keyof Fields, unknown>,
  fields: Fields,
) {
  const head = { id: EventId, object: z.literal('event'), timestamp: Time.describe('When it happened.') };
  const shown = { id: 'evt_01kagz8m4pfvbte2n5q7rys3wx', object: 'event', timestamp: '2026-11-20T10:00:02.015Z' };
  return z.object({ ...head, ...fields }).meta({ id, description, examples: [{ ...shown, ...example }] });
}
