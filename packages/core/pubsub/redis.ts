import { openRedisConnection } from '../redis-connection.ts';
import type { RedisUrl } from '../redis-url.ts';
import type { LiveEvent } from '../turn/event.ts';
import { gatherWakes, receiveWakes, type Wakes } from './gather-wakes.ts';
import type { Pubsub, TurnMessage, WorkerMessage } from './pubsub.ts';
import { makeSubscribers } from './subscribers.ts';

/** The time between pings. A silent socket is opened again, and the pings keep a healthy socket from silence. */
const PING_EVERY_MS = 5_000;

/**
 * Opens pubsub on Redis: channels for all wakes, for the live events of each streamed turn, and for all workers. Any
 * node of a cluster works, since nodes pass messages on. `isOpen` returns whether it can publish now.
 */
export function redisPubsub(to: RedisUrl): Pubsub & { isOpen(): boolean } {
  const publishing = openRedisConnection(to, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
  const subscribing = openRedisConnection(to, { maxRetriesPerRequest: null });
  const pings = setInterval(() => void subscribing.ping().catch(() => {}), PING_EVERY_MS).unref();
  const channels = channelsOf(publishing.options.db ?? 0);
  const publish = (channel: string, message: unknown) =>
    void publishing.publish(channel, JSON.stringify(message)).catch(() => {});
  const turns = openTurnPublisher(publish, channels.wakes);
  const { subscribers, receivesWakes } = subscribeOn(subscribing, channels.wakes);

  return {
    publishToTurn: turns.publish,
    publishToWorkers: (message) => publish(channels.workers, message),
    subscribeToWakes: (receiver) =>
      subscribers.subscribe(channels.wakes, (message) => receiveWakes(message as Wakes | null, receiver)),
    receivesWakes,
    subscribeToEvents: (turnId, receive) =>
      subscribers.subscribe(eventsOf(turnId), (message) => receive(message as LiveEvent)),
    subscribeToWorkers: (receive) =>
      subscribers.subscribe(channels.workers, (message) => receive(message as WorkerMessage)),
    isOpen: () => publishing.status === 'ready',
    close: async () => {
      clearInterval(pings);
      turns.flush();
      publishing.disconnect();
      subscribing.disconnect();
    },
  };
}

/**
 * Returns the channels of a database. All databases of a server share channels, but processes with different
 * databases share no messages.
 */
function channelsOf(database: number) {
  return { wakes: `pawl:wakes:${database}`, workers: `pawl:workers:${database}` };
}

function eventsOf(turnId: string): string {
  return `pawl:events:${turnId}`;
}

/** Publishes to the watchers of turns. Wakes are sent together, but before a later event of their turn. */
function openTurnPublisher(publish: (channel: string, message: unknown) => void, wakesChannel: string) {
  const wakes = gatherWakes();
  const flush = () => {
    for (const message of wakes.take()) publish(wakesChannel, message);
  };
  return {
    flush,
    publish: (message: TurnMessage) => {
      if (message.kind === 'wake') {
        if (wakes.add(message)) setImmediate(flush);
        return;
      }
      if (wakes.has(message.turnId)) flush();
      publish(eventsOf(message.turnId), message.event);
    },
  };
}

/** Subscribes to each channel that has subscribers here. Each confirmation means that earlier wakes may be lost. */
function subscribeOn(redis: ReturnType<typeof openRedisConnection>, wakes: string) {
  let isConfirmed = false;
  const confirm = () => {
    isConfirmed = true;
    subscribers.publish(wakes, null);
  };
  const subscribe = (channel: string) =>
    void redis.subscribe(channel).then(channel === wakes ? confirm : () => {}, () => {});
  const subscribers = makeSubscribers<unknown>({
    opened: subscribe,
    closed: (channel) => void redis.unsubscribe(channel).catch(() => {}),
  });
  redis.on('message', (channel: string, text: string) => subscribers.publish(channel, JSON.parse(text)));
  redis.on('ready', () => subscribers.has(wakes) && subscribe(wakes));
  redis.on('close', () => {
    isConfirmed = false;
  });
  return { subscribers, receivesWakes: () => isConfirmed };
}
