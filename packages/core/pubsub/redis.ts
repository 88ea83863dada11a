import { openRedisConnection } from '../redis-connection.ts';
import type { RedisUrl } from '../redis-url.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';
import { makeSubscribers, type Subscribers } from './subscribers.ts';

/** A silent socket is opened anew; a ping this often keeps a healthy one from being silent. */
const PING_EVERY_MS = 5_000;

/**
 * Pubsub on Redis: a channel for each turn that is watched here, and one for all workers. The nodes of a cluster pass on to
 * each other what is published, so any of them will do. `isOpen`: something can be published now.
 */
export function redisPubsub(to: RedisUrl): Pubsub & { isOpen(): boolean } {
  const publishing = openRedisConnection(to, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
  const subscribing = openRedisConnection(to, { maxRetriesPerRequest: null });
  const pings = setInterval(() => void subscribing.ping().catch(() => {}), PING_EVERY_MS).unref();
  const subscribers = makeSubscribers<unknown>({
    opened: (channel) => void subscribing.subscribe(channel).catch(() => {}),
    closed: (channel) => void subscribing.unsubscribe(channel).catch(() => {}),
  });
  subscribing.on('message', (channel: string, text: string) => subscribers.publish(channel, JSON.parse(text)));
  subscribing.on('ready', () => wakeAll(subscribers));
  // All databases of a server share their channels, and a rate limit is of those who share a database. Ids of turns are unique.
  const workers = `pawl:workers:${publishing.options.db ?? 0}`;
  const publish = (channel: string, message: unknown) =>
    void publishing.publish(channel, JSON.stringify(message)).catch(() => {});

  return {
    publishToTurn: (message) => publish(channelOf(message.turnId), message),
    publishToWorkers: (message) => publish(workers, message),
    subscribeToTurn: (turnId, receive) =>
      subscribers.subscribe(channelOf(turnId), (message) => receive(message as TurnMessage)),
    subscribeToWorkers: (receive) => subscribers.subscribe(workers, (message) => receive(message as WorkerMessage)),
    isOpen: () => publishing.status === 'ready',
    close: async () => {
      clearInterval(pings);
      publishing.disconnect();
      subscribing.disconnect();
    },
  };
}

const TURN_CHANNEL = 'pawl:turn:';

function channelOf(turnId: string): string {
  return `${TURN_CHANNEL}${turnId}`;
}

/** After a reconnect, what was published meanwhile is lost: every subscriber of a turn reads it again. */
function wakeAll(subscribers: Subscribers<unknown>): void {
  for (const channel of subscribers.topics()) {
    if (!channel.startsWith(TURN_CHANNEL)) continue;
    subscribers.publish(channel, { kind: 'wake', turnId: channel.slice(TURN_CHANNEL.length) });
  }
}
