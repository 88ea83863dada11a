import { z } from 'zod';

export const ConversationId = idOf('conv', 'The id of a conversation.');
export const TurnId = idOf('turn', 'The id of a turn.');
export const EventId = idOf('evt', 'The id of an event. It is the same in every delivery and stream.');
export const DeliveryId = idOf('dlv', 'The id of a delivery.');
export const WebhookEndpointId = idOf('whe', 'The id of a webhook endpoint.');
export const ScheduleId = idOf('sched', 'The id of a schedule.');
export const AgentId = idOf('agent', 'The id of an agent.');
export const BulkId = idOf('bulk', 'The id of a bulk.');

/** Ids sort by time. The pattern is described and not enforced: an impossible id is answered like an unknown id. */
function idOf(prefix: string, description: string) {
  const pattern = `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`;
  return z.string().meta({ description, pattern, examples: [`${prefix}_01kagz8m4pfvbte2n5q7rys3wx`] });
}
