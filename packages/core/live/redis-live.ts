import { Redis } from 'ioredis';
import { REDIS_OPTIONS, tendRedis } from '../redis-options.ts';
import { type Hearers, makeHearers } from './hearers.ts';
import type { Live, ToWatchers, ToWorkers } from './live.ts';

const WORKERS = 'pawl:workers';

/** A silent socket is opened anew, and this keeps a healthy one from being silent. */
const PULSE_MS = 5_000;

/** The wire on Redis: a channel for each turn that is watched here, one for all workers. */
export function redisLive(url: string): Live {
  const speaking = tendRedis(new Redis(url, { ...REDIS_OPTIONS, maxRetriesPerRequest: 0, enableOfflineQueue: false }));
  const hearing = tendRedis(new Redis(url, { ...REDIS_OPTIONS, maxRetriesPerRequest: null }));
  const pulse = setInterval(() => void hearing.ping().catch(() => {}), PULSE_MS).unref();
  const hearers = makeHearers<unknown>({
    opened: (channel) => void hearing.subscribe(channel).catch(() => {}),
    closed: (channel) => void hearing.unsubscribe(channel).catch(() => {}),
  });
  hearing.on('message', (channel: string, text: string) => hearers.tell(channel, JSON.parse(text)));
  hearing.on('ready', () => wakeAll(hearers));
  const tell = (channel: string, message: unknown) =>
    void speaking.publish(channel, JSON.stringify(message)).catch(() => {});

  return {
    tellWatchers: (message) => tell(channelOf(message.turnId), message),
    tellWorkers: (message) => tell(WORKERS, message),
    watch: (turnId, hear) => hearers.add(channelOf(turnId), (message) => hear(message as ToWatchers)),
    hearWorkers: (hear) => hearers.add(WORKERS, (message) => hear(message as ToWorkers)),
    close: async () => {
      clearInterval(pulse);
      speaking.disconnect();
      hearing.disconnect();
    },
  };
}

function channelOf(turnId: string): string {
  return `pawl:turn:${turnId}`;
}

/** After a reconnect, what was said meanwhile is lost: everybody reads again. */
function wakeAll(hearers: Hearers<unknown>): void {
  for (const channel of hearers.topics()) {
    if (channel !== WORKERS) hearers.tell(channel, { kind: 'wake', turnId: channel.slice('pawl:turn:'.length) });
  }
}
