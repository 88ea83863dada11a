import type { DatabaseUrls } from '../postgres/hosts.ts';
import { rankStores } from '../rank-stores.ts';
import { readRedisUrls } from '../redis-connection.ts';
import { postgresPubsub } from './postgres.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';
import { redisPubsub } from './redis.ts';

/** Opens pubsub on one or several Redis, else on PostgreSQL. */
export function openPubsub({ redisUrl, ...database }: DatabaseUrls & { redisUrl?: string | undefined }): Pubsub {
  if (!redisUrl) return postgresPubsub(database);
  const stores = readRedisUrls(redisUrl).map(({ address, to }) => {
    const pubsub = redisPubsub(to);
    return { address, pubsub, isOpen: pubsub.isOpen };
  });
  const [first, ...others] = stores;
  return first && others.length === 0 ? first.pubsub : spreadMessages(stores);
}

type MessageStore = { address: string; pubsub: Pubsub; isOpen(): boolean };

const ALL_WORKERS = 'workers';

/**
 * Spreads pubsub over several stores. Each turn has its own order of stores to publish on. Subscribers listen on all
 * stores.
 */
function spreadMessages(stores: MessageStore[]): Pubsub {
  const storeFor = (key: string) => {
    const ranked = rankStores(stores, key);
    return ranked.find((store) => store.isOpen()) ?? ranked[0];
  };
  const subscribeAll = (subscribe: (pubsub: Pubsub) => () => void) => {
    const ends = stores.map(({ pubsub }) => subscribe(pubsub));
    return () => {
      for (const end of ends) end();
    };
  };
  return {
    publishToTurn: (message: TurnMessage) => storeFor(message.turnId)?.pubsub.publishToTurn(message),
    publishToWorkers: (message: WorkerMessage) => {
      storeFor('turnId' in message ? message.turnId : ALL_WORKERS)?.pubsub.publishToWorkers(message);
    },
    subscribeToWakes: (receiver) => subscribeAll((pubsub) => pubsub.subscribeToWakes(receiver)),
    receivesWakes: () => stores.every(({ pubsub }) => pubsub.receivesWakes()),
    subscribeToEvents: (turnId, receive) => subscribeAll((pubsub) => pubsub.subscribeToEvents(turnId, receive)),
    subscribeToWorkers: (receive) => subscribeAll((pubsub) => pubsub.subscribeToWorkers(receive)),
    close: async () => void (await Promise.all(stores.map(({ pubsub }) => pubsub.close()))),
  };
}
