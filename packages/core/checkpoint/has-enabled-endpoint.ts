import { sql } from 'kysely';

/** Whether the endpoint of a delivery, named by `endpoint_id` outside, is there and hears of what happens. */
export const hasEnabledEndpoint = sql<boolean>`exists (
  select from webhook_endpoints as endpoint where endpoint.id = endpoint_id and endpoint.status = 'enabled')`;
