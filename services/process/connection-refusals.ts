import { explainConnectionLimit } from '#core/connection-limit.ts';
import type { Log } from './log.ts';

/** A process retries about every second, so an older refusal has been followed by a success. */
const RECENT_MS = 10_000;

const LOG_AGAIN_MS = 60_000;

/** Records the limit of a store that refuses connections of this process. */
export type ConnectionRefusals = {
  /** Records any error of a connection. Logs the sentence for a refusal, once a minute. */
  record(error: unknown): void;
  /** Returns the sentence for a refusal of the last ten seconds. */
  current(): string | null;
};

export function trackConnectionRefusals(log: Log): ConnectionRefusals {
  const loggedAt = new Map<string, number>();
  let latest: { sentence: string; at: number } | null = null;
  return {
    record: (error) => {
      const sentence = explainConnectionLimit(error);
      if (!sentence) return;
      const at = performance.now();
      latest = { sentence, at };
      if (at - (loggedAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < LOG_AGAIN_MS) return;
      loggedAt.set(sentence, at);
      log.error({ event: 'connection.refused' }, sentence);
    },
    current: () => (latest && performance.now() - latest.at < RECENT_MS ? latest.sentence : null),
  };
}
