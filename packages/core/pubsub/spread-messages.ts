import { rankStores } from '../rank-stores.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';

/** Pubsub on one of several stores; `isOpen` says whether something can be published there now. */
export type MessageStore = { address: string; pubsub: Pubsub; isOpen(): boolean };

const ALL_WORKERS = 'workers';

/** One pubsub on several stores. A turn has its own order of stores to publish on; subscribers listen on all. */
export function spreadMessages(stores: MessageStore[]): Pubsub {
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
