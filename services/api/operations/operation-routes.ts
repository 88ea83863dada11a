import { joinRoutes } from '../http/router.ts';
import { batchRoutes } from './batch-routes.ts';
import { bulkRoutes } from './bulk.ts';
import { catalogueRoutes } from './catalogue.ts';
import { healthRoutes } from './health.ts';
import { metricsRoutes } from './metrics.ts';
import { queueRoutes } from './queues.ts';
import { statisticsRoutes } from './statistics/statistics.ts';
import { turnCountRoutes } from './statistics/turn-counts.ts';
import { usageRoutes } from './usage.ts';
import { workerRoutes } from './workers.ts';

/** Routes about the service itself, and about many turns at once. */
export const operationRoutes = joinRoutes(
  bulkRoutes,
  usageRoutes,
  catalogueRoutes,
  healthRoutes,
  metricsRoutes,
  workerRoutes,
  queueRoutes,
  batchRoutes,
  statisticsRoutes,
  turnCountRoutes,
);
