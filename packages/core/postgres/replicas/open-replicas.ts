import type { Kysely } from 'kysely';
import { hostsOf } from '../hosts.ts';
import { isTransient } from '../retry-transient.ts';
import { positionsOf } from './position.ts';
import { openReplica, type Replica, type ReportReplica } from './replica.ts';

export type Replicas<Tables> = {
  /**
   * Runs a query without writes on a replica with all earlier commits, else on the primary. The query may run twice.
   */
  read<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

type Options<Tables> = {
  url: string;
  primary: Kysely<Tables>;
  report: ReportReplica;
  count(server: 'replica' | 'primary'): void;
};

/** Opens the replicas that a URL names. They take turns while they are usable. */
export function openReplicas<Tables>({ url, primary, report, count }: Options<Tables>): Replicas<Tables> {
  const askPosition = positionsOf(primary);
  const replicas = serversOf(url).map((server) => openReplica<Tables>({ ...server, askPosition, report }));
  let last = 0;

  function pick(): Replica<Tables> | undefined {
    const usable = replicas.filter((replica) => replica.isUsable());
    last += 1;
    return usable[last % usable.length];
  }
  async function readFromReplica<T>(query: (db: Kysely<Tables>) => Promise<T>): Promise<{ answer: T } | null> {
    const replica = pick();
    const position = replica && (await askPosition().catch(() => null));
    const transaction = position && (await replica.enter(position));
    if (!transaction) return null;
    try {
      const answer = await query(transaction);
      replica.leave(transaction);
      return { answer };
    } catch (error) {
      const isItsFault = isTransient(error) && error.code !== OUT_OF_TIME;
      replica.leave(transaction, isItsFault ? error : undefined);
      if (isItsFault) return null;
      throw error;
    }
  }
  return {
    read: async (query) => {
      const found = await readFromReplica(query);
      const answer = found ? found.answer : await query(primary);
      count(found ? 'replica' : 'primary');
      return answer;
    },
    close: async () => void (await Promise.all(replicas.map((replica) => replica.close()))),
  };
}

/** The code of a statement that takes too long. The primary would take as long, at the same cost. */
const OUT_OF_TIME = '57014';

function serversOf(url: string): { name: string; url: string }[] {
  const urls = hostsOf(url)?.map((host) => host.url) ?? [url];
  return urls.map((each) => ({ name: URL.parse(each)?.host || 'of DATABASE_READ_URL', url: each }));
}
