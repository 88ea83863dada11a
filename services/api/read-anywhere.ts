import type { Db } from '#core/checkpoint/tables.ts';
import { openReplicas } from '#core/postgres/replicas/open-replicas.ts';
import type { Log } from '../process/log.ts';
import type { Metrics } from '../process/metrics/metrics.ts';
import type { Settings } from '../process/settings.ts';

/**
 * Runs a query that writes nothing, and from which nothing is decided, on the primary or on a replica. It sees all that was
 * committed before, wherever that is. It may run twice.
 */
export type ReadAnywhere = <T>(query: (db: Db) => Promise<T>) => Promise<T>;

/** Reading from the primary, and from the replicas of DATABASE_READ_URL where there are any. */
export type AnyReader = { readAnywhere: ReadAnywhere; close(): Promise<void> };

/** Opens the replicas; without any, a read is nothing but its query. */
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
  if (trouble === null) log.info({ event: 'replica.used', replica: name }, `the replica ${name} reads lists and usage`);
  else
    log.warn({ event: 'replica.left_out', replica: name }, `the replica ${name} ${trouble}; others read what it would`);
}
