import { Redis } from 'ioredis';
import { gatherWrites } from '../gather-writes.ts';
import { type Hearers, makeHearers } from './hearers.ts';
import type { Live, ToWatchers, ToWorkers } from './live.ts';

const WORKERS = 'pawl:workers';
const PULSE_MS = 5_000;

/** A silent socket is opened anew; the pulse keeps a healthy one from being silent. */
const BOUNDS = {
  connectTimeout: 5_000,
  socketTimeout: 15_000,
  retryStrategy: (times: number) => Math.min(times * 100, 2_000),
};

/** The wire on Redis: a channel for each turn that is watched here, one for all workers. */
export function redisLive(url: string): Live {
  const speaking = quiet(new Redis(url, { ...BOUNDS, maxRetriesPerRequest: 0, enableOfflineQueue: false }));
  const hearing = quiet(new Redis(url, { ...BOUNDS, maxRetriesPerRequest: null }));
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

function quiet(redis: Redis): Redis {
  redis.on('error', () => {});
  redis.on('connect', () => gatherWrites(redis.stream));
  return redis;
}
