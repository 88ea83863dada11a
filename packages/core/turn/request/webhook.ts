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

/** The events about the end of a background response, as OpenAI names them. */
export const ResponseWebhookEvent = z.enum([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
]);
export type ResponseWebhookEvent = z.infer<typeof ResponseWebhookEvent>;

/** The default events of a webhook: the end of a turn, and `turn.requires_action`. */
export const DEFAULT_EVENTS = WebhookEvent.exclude(['round.completed']).options;

/** Returns the schema of the optional list of events to send. */
export function eventList<Event extends z.ZodType>(event: Event) {
  return z.array(event).min(1, 'name at least one event').max(MAX_WORDS).nullish();
}

export const Webhook = z.strictObject({
  url: httpUrl.describe(
    'The URL that receives the events: http or https, with a public address unless the operator allows others.',
  ),
  events: eventList(WebhookEvent).describe('The events to send. By default all except `round.completed`.'),
  include: z
    .array(z.literal('turn'))
    .max(MAX_WORDS)
    .nullish()
    .describe('`turn`: include the whole turn in each event. Not included by default.'),
});
export type Webhook = z.infer<typeof Webhook>;

/** The webhook of a response, which may name events of the response and of its turn. */
export const ResponseWebhook = Webhook.extend({
  events: eventList(z.enum([...WebhookEvent.options, ...ResponseWebhookEvent.options])).describe(
    'The events to send. `response.*` only for a background response. By default the events of its turn.',
  ),
});
export type ResponseWebhook = z.infer<typeof ResponseWebhook>;

/** A webhook with its defaults: the default events, without the turn. */
export type Subscription = Required<{ [Field in keyof ResponseWebhook]: NonNullable<ResponseWebhook[Field]> }>;
