import { joinRoutes } from '../http/router.ts';
import { deliveryRoutes } from './deliveries.ts';
import { webhookEndpointActionRoutes } from './webhook-endpoint-actions.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';

/** Routes of `/v1/webhook_endpoints` and `/v1/deliveries`. */
export const webhookRoutes = joinRoutes(deliveryRoutes, webhookEndpointRoutes, webhookEndpointActionRoutes);
