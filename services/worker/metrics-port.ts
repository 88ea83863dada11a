import { allQueues } from '#core/queue/job.ts';
import { metricsAccess } from '../process/metrics/metrics-access.ts';
import { type MetricsServer, openMetricsServer } from '../process/metrics/metrics-server.ts';
import { withStandingGauges } from '../process/metrics/standing-gauges.ts';
import type { Parts } from '../process/parts.ts';
import type { Settings } from '../process/settings.ts';

type Port = Pick<MetricsServer, 'close'> & { url: string | null };

/** Opens the port for the metrics and the health of a worker, if `PAWL_METRICS_PORT` is set. */
export async function openMetricsPort(parts: Parts, settings: Settings): Promise<Port> {
  const { PAWL_METRICS_PORT: port, HOST: host } = settings;
  if (port === undefined) return { url: null, close: async () => {} };
  const { connection, jobQueue, providers, availability, connectionRefusals, metrics, accessKeys } = parts;
  const countJobs = () => jobQueue.count(allQueues(providers.names));
  return openMetricsServer(
    { host, port },
    {
      readMetrics: withStandingGauges(metrics, { db: connection.db, availability, countJobs }),
      mayRead: metricsAccess(settings, accessKeys),
      ...{ availability, connectionRefusals },
    },
  );
}
