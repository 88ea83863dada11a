import { explainRefusal } from '#core/explain-refusal.ts';
import type { Log } from './log.ts';

/** A process tries again each second or so, so what was refused longer ago has come through since. */
const RECENT_MS = 10_000;

const SAY_AGAIN_MS = 60_000;

/** Which limit of a store keeps this process from its connections. */
export type Refusals = {
  /** Takes any error of a connection; logs the sentence for a refusal, once a minute. */
  hear(error: unknown): void;
  /** The sentence for a refusal of the last ten seconds. */
  current(): string | null;
};

/** Remembers the latest refusal and logs it. */
export function watchRefusals(log: Log): Refusals {
  const saidAt = new Map<string, number>();
  let latest: { sentence: string; at: number } | null = null;
  return {
    hear: (error) => {
      const sentence = explainRefusal(error);
      if (!sentence) return;
      const at = performance.now();
      latest = { sentence, at };
      if (at - (saidAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < SAY_AGAIN_MS) return;
      saidAt.set(sentence, at);
      log.error(sentence);
    },
    current: () => (latest && performance.now() - latest.at < RECENT_MS ? latest.sentence : null),
  };
}
