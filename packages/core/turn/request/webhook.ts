import { z } from 'zod';
import { httpUrl, MAX_WORDS } from './tool.ts';

export const WebhookEvent = z.enum([
  'turn.completed',
  'turn.incomplete',
  'turn.failed',
  'turn.cancelled',
  'turn.requires_action',
  'round.completed',
]);

/** What becomes of a response that was created in the background, in OpenAI's words (contract-responses R70). */
export const ResponseWebhookEvent = z.enum([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
export type ResponseWebhookEvent = z.infer<typeof ResponseWebhookEvent>;

/** The events of a webhook that names none: how a turn ended, and that it waits for a client or a person. */
export const DEFAULT_EVENTS = WebhookEvent.exclude(['round.completed']).options;

/** The events that a caller wants, which it may leave out. */
export function eventList<Event extends z.ZodType>(event: Event) {
  return z.array(event).min(1, 'name at least one event').max(MAX_WORDS).nullish();
}

export const Webhook = z.strictObject({
  url: httpUrl.describe('Where to post events: http or https, and a public address unless the operator allows it.'),
  events: eventList(WebhookEvent).describe('Which events to send. All but `round.completed` by default.'),
  include: z
    .array(z.literal('turn'))
    .max(MAX_WORDS)
    .nullish()
    .describe('`turn`: send the whole turn along. Nothing by default.'),
});
export type Webhook = z.infer<typeof Webhook>;

/** The webhook of a response: it may name events of the response beside those of its turn. */
export const ResponseWebhook = Webhook.extend({
  events: eventList(z.enum([...WebhookEvent.options, ...ResponseWebhookEvent.options])).describe(
    'Which events to send. `response.*` of one in the background only; by default those of its turn.',
  ),
});
export type ResponseWebhook = z.infer<typeof ResponseWebhook>;

/** A webhook with its defaults filled in: the default events, the thin form. */
export type Subscription = Required<{ [Field in keyof ResponseWebhook]: NonNullable<ResponseWebhook[Field]> }>;
