import type { Db } from '#core/checkpoint/tables.ts';
import { openReplicas } from '#core/postgres/replicas/open-replicas.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import type { Settings } from '../process/settings.ts';

/**
 * Runs a read-only query on the primary or on a replica. No decision may depend on it. It sees all earlier commits,
 * and may run twice.
 */
export type ReadAnywhere = <T>(query: (db: Db) => Promise<T>) => Promise<T>;

/** Reads from the primary, and from the replicas of DATABASE_READ_URL if there are any. */
export type AnyReader = { readAnywhere: ReadAnywhere; close(): Promise<void> };

/** Opens the replicas. Without replicas, a read only runs its query. */
export function openAnyReader(
  { DATABASE_READ_URL: url }: Pick<Settings, 'DATABASE_READ_URL'>,
  { db, log, metrics }: { db: Db; log: Log; metrics: Pick<Metrics, 'readServed'> },
): AnyReader {
  if (url === undefined) return { readAnywhere: (query) => query(db), close: async () => {} };
  const report = (name: string, trouble: string | null) => reportReplica(log, name, trouble);
  const { read, close } = openReplicas({ url, primary: db, report, count: metrics.readServed });
  return { readAnywhere: read, close };
}

function reportReplica(log: Log, name: string, trouble: string | null): void {
  if (trouble === null)
    log.info({ event: 'replica.used', replica: name }, `the replica ${name} serves reads of lists and usage`);
  else
    log.warn(
      { event: 'replica.left_out', replica: name },
      `the replica ${name} ${trouble}, so another database serves its reads`,
    );
}
